# Two threads use fields of one block, and each other block is used by one thread only. With private stacks, the
# row `inf` has cold and coherence misses, every distance is written, and the command and
# scripts/check_profile.py accept the profile. Shared stacks are the default.
cat >trace <<'TRACE'
0x40,8,S,1
0x48,8,S,2
0x80,8,L,1
0x40,8,S,1
0x48,8,S,2
0x48,8,L,1
0x80,8,L,1
0x40,8,L,2
0xfc,8,L,2
TRACE
columns=csv:addr=1,size=2,kind=3,thread=4
"$REUSEDIST" analyze --stacks=private -f $columns --hist=full --out=csv --distances=distances trace
xargs <distances
"$REUSEDIST" analyze --stacks=private -f $columns trace | sed -n '2,8p'
"$REUSEDIST" analyze --stacks=private -f $columns trace | grep -A 9 ^Threads
"$REUSEDIST" analyze --stacks=private -f $columns --out=json -o private.json trace
"$DATA"/../../scripts/check_profile.py private.json
sed -n '/"threads"/,/^  }/p' private.json
"$REUSEDIST" merge private.json private.json | grep -o '"thread": .*"upgrades": [0-9]*'
"$REUSEDIST" analyze -f $columns --out=json -o shared.json trace
"$REUSEDIST" analyze --stacks=shared -f $columns --out=json trace | sed '/"seconds"/d' >stated.json
sed '/"seconds"/d' shared.json | cmp - stated.json
"$REUSEDIST" mrc --hits=90% private.json | tail -n 2
while read -r edit; do
    sed "$edit" private.json >bad.json
    ! cmp -s private.json bad.json || echo "does nothing: $edit"
    ! "$REUSEDIST" merge bad.json >/dev/null 2>&1 || echo "accepted: $edit"
    ! "$DATA"/../../scripts/check_profile.py bad.json 2>/dev/null || echo "script accepts: $edit"
done <<'EDITS'
s/"thread": 1/"thread": 3/
s/"cold": 2/"cold": 1/
s/"true_sharing": 1/"true_sharing": 2/
s/"upgrades": 0/"upgrades": 9/
EDITS
