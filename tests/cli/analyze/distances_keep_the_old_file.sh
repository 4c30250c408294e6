# --distances is written like every other output: the old file stays until all distances are written. It also
# stays if an option is wrong or the disk is full, which a limit of the file size simulates here.
$REUSEDIST generate uniform:refs=100K,blocks=1K -o t
echo old >d
$REUSEDIST analyze --distances=d --attribute --caches=foo t || echo "wrong option: $?"
cat d
(ulimit -f 64; exec $REUSEDIST analyze --distances=d -o result t) || echo "disk full: $?"
cat d
ls
