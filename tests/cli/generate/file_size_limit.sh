# A file that exceeds the size limit causes a message, not a signal, and leaves no incomplete file.
(
    ulimit -f 64
    $REUSEDIST generate uniform:refs=1M --to=u64 -o g
) || status=$?
ls
exit $status
