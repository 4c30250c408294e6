# A message, not the end by a signal; and no half a file.
(
    ulimit -f 64
    $REUSEDIST generate uniform:refs=1M --to=u64 -o g
) || status=$?
ls
exit $status
