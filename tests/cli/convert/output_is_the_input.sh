# A trace is not converted in place: if it is damaged, everything after the damage would be lost.
$REUSEDIST generate cycle:blocks=4,refs=6 -o t
cp t before
ln -s t soft
ln t hard
for place in t soft hard; do
    $REUSEDIST convert t --to=u64 -o $place || echo "$place: $?"
done
$REUSEDIST convert - --to=u64 -o t <t || echo "standard input: $?"
$REUSEDIST convert before t --to=u64 -o t || echo "second: $?"
$REUSEDIST convert t --to=u64 >>t || echo "standard output: $?"
cmp t before
