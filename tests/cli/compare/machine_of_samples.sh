# The misses that sampled profiles have on a machine are known as bands. The comparison prints the range of factors
# between the waiting times that is consistent with the bands, or says that the samples do not tell which profile is better.
for blocks in 4000 40000; do
    "$REUSEDIST" generate -q cycle:blocks=$blocks,refs=400K -o $blocks.trace
    "$REUSEDIST" analyze -q -b 64 -e shards:rate=0.1,seed=1 --out=json -o $blocks.json $blocks.trace
done
"$REUSEDIST" analyze -q -b 64 --out=json -o exact.json 40000.trace
"$REUSEDIST" compare --machine=zen4 4000.json 40000.json | sed '/^1  /,$d'
"$REUSEDIST" compare --machine=zen4 exact.json 40000.json | sed '/^1  /,$d'
