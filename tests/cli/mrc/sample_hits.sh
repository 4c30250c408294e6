# From a sample, the size for a hit ratio has a range, which contains the exact size and is the same in text,
# CSV and JSON. An end of the range that the sample does not resolve is empty.
"$REUSEDIST" generate zipf:blocks=200K,refs=400K,alpha=0.6 -o t.trace
for out in text csv json; do
    "$REUSEDIST" mrc -e shards:rate=0.05 --hits=1%,20%,40%,90% --out=$out t.trace
done
"$REUSEDIST" mrc -e shards:rate=0.05 --hits=40% -b addr t.trace | tail -2
"$REUSEDIST" mrc --hits=20%,40% --out=csv t.trace
# No size is given below the resolution, here of 10,000 blocks.
"$REUSEDIST" generate cycle:blocks=7000,refs=70K -o c.trace
for out in text csv json; do
    "$REUSEDIST" mrc -e shards:rate=0.001 --hits=50% --out=$out c.trace
done
