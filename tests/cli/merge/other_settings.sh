# Profiles with another order of the threads or another warm-up are refused, because the sum could not say what it
# counts. A sum of profiles with warm-ups can be kept up to date.
for ((i = 0; i < 300; i++)); do printf '%d,%d,%d,S,%d\n' "$i" $((i * i % 37)) $((i * i % 37 + 10)) $((i / 5 % 2)); done >requests.csv
analyze() { "$REUSEDIST" analyze -q --out=json -o "$@" requests.csv; }
for stacks in shared private; do
    analyze $stacks.json -f csv:addr=2,kind=4,thread=5 --stacks=$stacks
    analyze $stacks.turns.json -f csv:addr=2,kind=4,thread=5 --stacks=$stacks --interleave=lockstep
    "$REUSEDIST" merge $stacks.json $stacks.turns.json || echo $?
    "$REUSEDIST" merge $stacks.turns.json $stacks.turns.json | grep -c '"turn": 1,'
done
for warmup in 0 100 200; do
    analyze warm$warmup.json --weight=bytes -f csv:time=1,id=2,size=3 --warmup=$warmup
done
"$REUSEDIST" merge warm100.json warm200.json || echo $?
"$REUSEDIST" merge warm100.json warm0.json || echo $?
"$REUSEDIST" merge -o total.json warm100.json warm100.json
"$REUSEDIST" merge -o total.json total.json warm100.json
grep -o '"warmup": [0-9]*' total.json
