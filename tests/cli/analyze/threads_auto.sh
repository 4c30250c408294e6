# -t auto, the default, gives the result of one thread. With --mem, and with engines other than auto, -t auto
# means one thread.
"$REUSEDIST" generate zipf:blocks=5000,refs=1500000 -q -o t.trace
"$REUSEDIST" analyze -q --out=csv -t 1 t.trace > one
"$REUSEDIST" analyze -q --out=csv -t auto t.trace | cmp - one
"$REUSEDIST" analyze -q --out=csv t.trace | cmp - one && echo same
"$REUSEDIST" analyze -v --mem=1G t.trace 2>&1 >/dev/null | grep -o 'the fastest on one thread'
"$REUSEDIST" mrc -v --mem=1G -t auto --sizes=10 t.trace 2>&1 >/dev/null | grep -o 'the fastest on one thread'
"$REUSEDIST" analyze -v -e chunks t.trace 2>&1 >/dev/null | grep -o 'chunks: 1 thread'
"$REUSEDIST" analyze -t many t.trace || echo $?
