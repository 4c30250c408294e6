# Names in profiles, models and file names cannot send control characters to the terminal, break rows of CSV, or add
# elements to an image.
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 9000; mv 9000.json red9.json
esc=$'\x1b'
sed 's/{"name": "other memory"/{"name": "a\\u001b[31mlong\\u0007name_that_is_longer_than_the_column"/' \
    "$DATA/../fuzz/corpus/profile/sharing" >shared.json
"$REUSEDIST" sharing shared.json | sed -n '/^Data/,$p'
"$REUSEDIST" predict --train 1000.json --train 3000.json --model=m.json
sed 's/"size_unit": "[^"]*"/"size_unit": "\\u001b[31mred\\u0007"/' m.json >red.json
"$REUSEDIST" predict --model=red.json --size=2000 | grep 'learned from'
cp red9.json "${esc}[31m,\"x.json"
"$REUSEDIST" predict --train 3000.json --train 1000.json --train "${esc}[31m,\"x.json" --evaluate | tail -2
"$REUSEDIST" predict --train 3000.json --train 1000.json --train "${esc}[31m,\"x.json" --evaluate --out=csv | tail -1
"$REUSEDIST" similarity --out=csv "${esc},\"x=1000.json" b=3000.json
"$REUSEDIST" similarity "${esc},x=1000.json" b=3000.json
"$REUSEDIST" report --to=svg <(sed 's/"levels": \[{"name": "L1"/"levels": [{"name": "<b\&"/' "$DATA/profiles/contexts.json") |
    grep -c '&#60;b&#38; misses'
for command in annotate report merge; do
    "$REUSEDIST" $command <(sed 's/"levels": \[{"name": "L1"/"levels": [{"name": "\\u001b[1m"/' "$DATA/profiles/contexts.json") 2>&1 |
        sed 's/.*: //' || true
done
"$REUSEDIST" simulate --caches="L${esc}=4K:4" 1000.json || echo $?
"$REUSEDIST" simulate --caches=$'L\xc2\x9b=4K:4' 1000.json || echo $?
"$REUSEDIST" analyze --attribute --caches="L${esc}=4K" 1000.json || echo $?
