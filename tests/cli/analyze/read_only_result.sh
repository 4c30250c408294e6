# A read-only file is not replaced. The test drops a capability if it runs as root.
echo kept >r
chmod 444 r
unprivileged=
[ ! -w r ] || unprivileged="setpriv --bounding-set=-dac_override"
$unprivileged $REUSEDIST merge "$DATA/profiles/exact.json" -o r || echo "merge: $?"
$unprivileged $REUSEDIST generate cycle:refs=3 -o r || echo "generate: $?"
printf 12345678 | $unprivileged $REUSEDIST analyze -f u64 -o r - || echo "analyze: $?"
cat r
