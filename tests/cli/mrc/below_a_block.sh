# A cache that is smaller than a block is refused.
"$REUSEDIST" generate cycle:blocks=3,refs=9 -o t.trace
"$REUSEDIST" mrc --sizes=64,1 t.trace || echo $?
"$REUSEDIST" mrc --sizes=64 --out=csv t.trace
"$REUSEDIST" mrc -b addr --sizes=1 --out=csv t.trace
