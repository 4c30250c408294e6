# Profiles that do not measure the same thing get a warning, and rules about counts do not apply to them.
# In the trace, two threads alternately load and store data in one block, ten times each.
for i in $(seq 100); do printf '%d,64,L\n%d,64,S\n' $((i / 10 % 2)) $((i / 10 % 2)); done >trace
analyze() { "$REUSEDIST" analyze -q -f csv:thread=1,addr=2,kind=3 --out=json -o "$@" trace; }
analyze all.json
analyze loads.json --kinds=L
analyze private.json --stacks=private
analyze turns.json --interleave=lockstep
analyze turns_of_8.json --interleave=lockstep:8
"$REUSEDIST" generate -q cycle:blocks=10,refs=1K -o whole.trace
head -c -1 whole.trace >cut.trace
"$REUSEDIST" analyze -q --out=json -o whole.json whole.trace
"$REUSEDIST" analyze -q --partial --out=json -o cut.json cut.trace 2>/dev/null || echo "cut.json: exit status $?"
check() { "$REUSEDIST" compare --out=csv "$@" 2>&1 >/dev/null || echo "exit status $?"; }
check --fail-if='misses@32K>1.05x' --fail-if='references>+1' --fail-if='references>1000' all.json loads.json
check --fail-if='blocks>1.05x' --fail-if='miss-ratio@32K>+99%' all.json private.json
check all.json turns.json
check turns_of_8.json turns.json
check --fail-if='references>1000000' whole.json cut.json
# Naming all kinds is the same as naming none.
analyze named.json --kinds=LSI
check --fail-if='references>+1' all.json named.json
