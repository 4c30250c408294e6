# Miss ratios are compared only at sizes that a sample resolves: a sample of the same trace differs little there.
"$REUSEDIST" generate zipf:blocks=64K,refs=200K -o t.trace
"$REUSEDIST" analyze -q --out=json -o all.json t.trace
for rate in 0.005 0.00015; do
    "$REUSEDIST" analyze -q -e shards:rate=$rate --out=json -o sample.json t.trace
    "$REUSEDIST" compare all.json sample.json | grep 'miss ratio \|cache size'
    "$REUSEDIST" compare --fail-if='miss-ratio-error>20%' all.json sample.json 2>&1 | grep rule || true
done
# A sample of a few objects resolves no cache size.
for i in $(seq 2000); do echo "$i,$((i % 97 * i % 89)),$((100 + i % 97))"; done >t.csv
"$REUSEDIST" analyze -q -f csv:time=1,id=2,size=3 --weight=bytes --out=json -o all.json t.csv
"$REUSEDIST" analyze -q -f csv:time=1,id=2,size=3 --weight=bytes -e shards:rate=0.05 --out=json -o sample.json t.csv
"$REUSEDIST" compare all.json sample.json | grep 'miss ratio \|cache size'
"$REUSEDIST" compare --fail-if='miss-ratio-error>20%' all.json sample.json 2>&1 | grep rule
