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
# A profile of one thread in lockstep fits both orders, but does not make them fit each other.
grep ',0$' requests.csv >one.csv
"$REUSEDIST" analyze -q --out=json -o one.json -f csv:addr=2,kind=4,thread=5 --interleave=lockstep one.csv 2>messages
"$REUSEDIST" merge one.json shared.json shared.turns.json || echo $?
# The sum of lockstep profiles with different reorder buffers is one of lockstep, with the smallest of them.
analyze reorder.json -f csv:addr=2,kind=4,thread=5 --interleave=lockstep --reorder=100
"$REUSEDIST" merge shared.turns.json reorder.json | grep -o '"turn": 1, "reorder": [0-9]*'
for warmup in 0 100 200; do
    analyze warm$warmup.json --weight=bytes -f csv:time=1,id=2,size=3 --warmup=$warmup
done
"$REUSEDIST" merge warm100.json warm200.json || echo $?
"$REUSEDIST" merge warm100.json warm0.json || echo $?
"$REUSEDIST" merge -o total.json warm100.json warm100.json
"$REUSEDIST" merge -o total.json total.json warm100.json
grep -o '"warmup": [0-9]*' total.json
# The page of two such profiles says that they are unlike.
"$REUSEDIST" report -o page.html warm100.json warm200.json 2>messages
grep -o '"unlike": *\[[^]]*\]' page.html
