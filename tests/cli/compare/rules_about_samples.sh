# Rules about counts cannot be applied if the recorder skipped references, and no rule can be applied to a cache that
# a sample does not resolve. Rules about miss ratios apply to samples.
cp "$DATA/profiles/exact.json" .
sed 's/"exact": true/"exact": false/; s/"kind": "exact"/"kind": "parts"/; s/"skipped": 0/"skipped": 18000/' exact.json >parts.json
check() { { "$REUSEDIST" compare "$@" 2>&1 || true; } | grep 'rule ' | sed 's/.*json: //'; }
check --fail-if='misses@8K>1.05x' --fail-if='misses@8K>1000' --fail-if='references>1.05x' --fail-if='blocks>1x' \
    --fail-if='miss-ratio@8K>+1%' exact.json parts.json
check --fail-if='references<1000' parts.json exact.json
check --fail-if='references<+0' parts.json exact.json
"$REUSEDIST" generate zipf:blocks=4K,refs=40K -o t.trace
for block in 64 addr; do
    "$REUSEDIST" analyze -q -b $block --out=json -o all.json t.trace
    "$REUSEDIST" analyze -q -b $block -e shards:rate=0.1 --out=json -o sample.json t.trace
    for blocks in 100 99; do
        size=$((blocks * ${block/addr/1}))
        check --fail-if="miss-ratio@$size>+50%" --fail-if="misses@$size>2x" all.json sample.json
    done
done
