# The distances of private stacks say nothing about caches that threads share, nor about what reaches memory: eight
# threads load the same 500 blocks, so a shared cache would miss only the loads of the first one.
for block in $(seq 64 64 32000); do
    for thread in 1 2 3 4 5 6 7 8; do echo "$block,8,L,$thread"; done
done >loads.csv
format=csv:addr=1,size=2,kind=3,thread=4
"$REUSEDIST" analyze -q -f $format --stacks=private --out=json -o loads.json loads.csv
"$REUSEDIST" analyze -f $format --stacks=private --machine=zen4 loads.csv >report
sed -n '/^Cache sizes/,/^$/p; /^Caches of/,$p' report
"$REUSEDIST" compare --machine=zen4 loads.json loads.json | sed '/^1 /,$d'
"$REUSEDIST" analyze -f $format --stacks=private --caches=L1=32K:8 loads.csv | sed -n '/^Caches/,$p'
"$REUSEDIST" report --machine=zen4 --machine=apple-m1 -o page.html loads.json
grep -o '"profiles":\[{"\(full\|reason\)[^]]*\][^]]*\]' page.html
# The caches of all threads together.
"$REUSEDIST" analyze -q -f $format --out=json -o shared.json loads.csv
"$REUSEDIST" compare --machine=zen4 shared.json shared.json | sed '/^1 /,$d'
