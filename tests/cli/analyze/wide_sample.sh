# The error of a sample of very few blocks is at most 100 points, because miss ratios are between 0 and 100 %.
"$REUSEDIST" generate uniform:blocks=60,refs=90,seed=1 -o t.trace
for seed in 1 2 3 4 5 6 7 8; do
    "$REUSEDIST" analyze -e shards:rate=0.05,seed=$seed --ascii t.trace 2>/dev/null | grep points || true
done
