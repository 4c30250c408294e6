# --interleave=lockstep puts the references of threads in the right order, and mistakes in its options are
# reported.
f=csv:addr=1,size=2,kind=3,thread=4
printf '%s\n' 0x0,8,S,1 0x0,8,L,1 0x0,8,L,1 0x40,8,S,2 0x40,8,L,2 0x0,8,S,2 >t.csv
for order in recorded lockstep lockstep:2 lockstep:1000; do
    echo "$order:" $("$REUSEDIST" analyze -q -f $f --interleave=$order --distances=- -o /dev/null t.csv)
done
printf '%s\n' 0x0,8,S,1 0x40,8,L,2 0x0,8,L,1 0x0,8,S,1 0x40,8,L,1 0x0,8,S,2 >long.csv
"$REUSEDIST" analyze -f $f --interleave=lockstep --reorder=2 long.csv | sed -n 2,8p
"$REUSEDIST" analyze -q -f $f --interleave=lockstep:2 --reorder=4 --out=json t.csv >p.json
grep -o '"schema": "[^"]*"' p.json
grep -o '"interleaving": {[^}]*}' p.json
python3 "$DATA/../../scripts/check_profile.py" p.json
"$REUSEDIST" merge p.json p.json | grep -o '"interleaving": {[^}]*}'
"$REUSEDIST" simulate -q -f $f --interleave=lockstep --caches=L1=64:1 --out=json t.csv | grep -A1 interleaving
"$REUSEDIST" mrc -q -f $f --interleave=lockstep --sizes=64,128 --out=csv t.csv
"$REUSEDIST" analyze -q -f $f --stacks=private --interleave=lockstep:3 t.csv | grep stacks
# Lockstep also counts the coherence misses in recorded order, and shows them if they differ by more than a
# percentage point.
generate() { # THREADS
    awk -v threads="$1" 'function r(n) { x = x * 16807 % 2147483647; return x % n }
        BEGIN { x = 3; t = 0; for (i = 0; i < 3000; i++) { if (r(50) == 0) t = r(threads)
            print r(2000) "," 1 + r(100) "," (r(5) < 2 ? "S" : "L") "," t } }'
}
agree() { # TRACE: compares the coherence misses that lockstep counts in recorded order with an analysis in this order
    local in_json alone
    in_json=$("$REUSEDIST" analyze -q -f $f --stacks=private --interleave=lockstep --out=json "$1" |
        sed -n 's/.*"recorded_coherence": \([0-9]*\).*/\1/p')
    alone=$("$REUSEDIST" analyze -q -f $f --stacks=private --out=json "$1" |
        grep -o '"coherence": [0-9]*' | awk '{ n += $2 } END { print n }')
    [ "$in_json" = "$alone" ] && echo "the same number in recorded order"
}
generate 5 >random.csv
generate 200 >crowd.csv # more threads than a set of 64 bits can hold
"$REUSEDIST" analyze -q -f $f --stacks=private random.csv >recorded.txt
"$REUSEDIST" analyze -q -f $f --stacks=private --interleave=lockstep random.csv >lockstep.txt
agree random.csv
agree crowd.csv
grep '  coherence ' recorded.txt
grep '  coherence \|recorded order' lockstep.txt
printf '%s\n' a b a >ids.txt
"$REUSEDIST" analyze --interleave=lockstep ids.txt >/dev/null
for wrong in step lockstep: lockstep:0 lockstep:x lockstep1 lockstep:2000000; do
    "$REUSEDIST" analyze --interleave=$wrong t.csv && exit 1
done
"$REUSEDIST" analyze --reorder=5 t.csv && exit 1
"$REUSEDIST" analyze --interleave=lockstep --checkpoint=c t.csv && exit 1
exit 0
