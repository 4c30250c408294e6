# If two profiles differ in kinds, stacks or thread order, `report` prints the warnings of `compare`, and the page lists
# the settings that differ.
for i in $(seq 100); do printf '%d,64,L\n%d,64,S\n' $((i / 10 % 2)) $((i / 10 % 2)); done >trace
analyze() { "$REUSEDIST" analyze -q -f csv:thread=1,addr=2,kind=3 --out=json -o "$@" trace; }
analyze all.json
analyze loads.json --kinds=L
analyze private.json --stacks=private --interleave=lockstep
for second in all loads private; do
    "$REUSEDIST" report -o page.html all.json $second.json 2>&1
    grep -o '"unlike":[^]]*]' page.html
done
