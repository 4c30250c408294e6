# Two threads store to one block, and a third thread only loads. With --stacks=private, each thread has its own
# L1 and L2, and a store removes the block from the caches of the other threads.
for i in 1 2 3 4; do
    printf '%s\n' 0x40,8,S,1 0x48,8,S,2 0x40,8,L,3 0x1000,8,L,3 0x80,8,L,1
done >trace
columns=csv:addr=1,size=2,kind=3,thread=4
caches=L1=512:2,L2=1K:4,L3=8K:4:shared=yes
simulate() { "$REUSEDIST" simulate --stacks=private -f $columns --caches=$caches "$@" trace || echo "status $?"; }
simulate
simulate --ascii --no-causes --interleave=lockstep:2
simulate --out=csv
simulate --out=csv --no-causes | head -n 3
simulate --out=json | sed -n '1,12p'
# The counts of the threads add up to those of the first rows.
simulate --out=csv | awk -F, 'NR > 1 { for (i = 4; i <= 19; i++) sum[$1, i] += ($21 == "") ? $i : -$i }
    END { for (i in sum) wrong += sum[i] != 0; print wrong + 0, "sums differ" }'
# One fully associative private cache has the misses of private stacks.
"$REUSEDIST" simulate --stacks=private -f $columns --caches=L1=128 --out=csv trace | sed -n 2p | cut -d, -f5,6,15
"$REUSEDIST" analyze --stacks=private -f $columns --hist=full --out=csv trace
# One run gives distances and simulated caches, and the profile has both.
"$REUSEDIST" analyze --stacks=private --simulate -f $columns --caches=$caches trace | sed -n '/^Simulated/,/^Threads/p'
"$REUSEDIST" analyze --stacks=private --simulate -f $columns --caches=$caches --out=json -o private.json trace
"$DATA"/../../scripts/check_profile.py private.json
"$REUSEDIST" merge private.json private.json | grep -o '"name": "L3".*"capacity"'
while read -r edit; do
    sed "$edit" private.json >bad.json
    ! cmp -s private.json bad.json || echo "does nothing: $edit"
    ! "$REUSEDIST" merge bad.json >/dev/null 2>&1 || echo "accepted: $edit"
    ! "$DATA"/../../scripts/check_profile.py bad.json 2>/dev/null || echo "script accepts: $edit"
done <<'EDITS'
s/:shared=yes//;s/L1=512:2/L1=512:2:shared=yes/
s/"dirty_transfers": 4/"dirty_transfers": 99/
s/"upgrades": 0/"upgrades": 99/
s/"transfers": 4, "dirty_transfers": 4/"transfers": 44, "dirty_transfers": 4/
s/"coherence": 3/"coherence": 2/
EDITS
# Without outer caches, the table of threads has the misses of the innermost cache once.
"$REUSEDIST" simulate --stacks=private -f $columns --caches=L1I=512:2,L1D=512:2 trace | grep -A 3 '^Threads  '
"$REUSEDIST" simulate --stacks=private -f $columns --caches=L1=512:2 --no-causes trace | grep -A 3 '^Threads  '
# Lockstep of one thread is the recorded order.
grep ,3$ trace | "$REUSEDIST" simulate -q --stacks=private --interleave=lockstep -f $columns --caches=L1=512:2 - | grep order
# The L3 of this machine is shared.
"$REUSEDIST" simulate --stacks=private -f $columns --machine=zen4 --out=csv trace | cut -d, -f1,4,5,15-21
# Traces and options that do not fit are refused.
refuse() { "$REUSEDIST" simulate --stacks=private "$@" trace || echo "status $?"; }
refuse -f csv:addr=1,kind=3 --caches=$caches
refuse -f csv:addr=1,thread=4 --caches=$caches
refuse -f $columns --caches=$caches --kinds=L
refuse -f $columns --caches=L1=512:shared=yes,L2=1K
refuse -f $columns --caches=L1=512:shared=yes
refuse -f $columns --sets=4 --ways=all
# By default, all threads use one hierarchy, and the command prints a note about this. A trace of one thread
# gets no note.
"$REUSEDIST" simulate -f $columns --caches=$caches --out=csv trace
grep ,1$ trace >one
"$REUSEDIST" simulate -f $columns --caches=$caches --out=csv one
"$REUSEDIST" convert -f $columns --to=native -o native trace
"$REUSEDIST" simulate --caches=$caches --out=csv native | cmp - <("$REUSEDIST" simulate -q -f $columns --caches=$caches --out=csv trace)
