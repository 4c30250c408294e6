# corun refuses private stacks, which no other program shares, and warns as `compare` does about profiles that do not
# count the same references, or not in the same order.
for i in $(seq 200); do printf '%d,%d,L\n%d,%d,S\n' $((i % 8 * 64)) $((i / 10 % 2)) $((i % 8 * 64)) $((i / 10 % 2)); done >trace
analyze() { "$REUSEDIST" analyze -q -f csv:addr=1,thread=2,kind=3 --out=json -o "$@" trace; }
analyze all.json
analyze loads.json --kinds=L
analyze private.json --stacks=private
analyze turns.json --interleave=lockstep
for second in all loads turns; do
    "$REUSEDIST" corun --sizes=256 --out=csv all.json $second.json | wc -l
done
"$REUSEDIST" corun --sizes=256 all.json private.json || echo $?
"$REUSEDIST" corun --sizes=256 private.json || echo $?
