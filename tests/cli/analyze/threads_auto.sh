# -t auto, the default, gives the result of one thread. With --mem, and with engines other than auto that divide
# the analysis among threads, -t auto means one thread. With all other engines, threads read ahead, which needs
# memory.
"$REUSEDIST" generate zipf:blocks=5000,refs=1500000 -q -o t.trace
"$REUSEDIST" analyze -q --out=csv -t 1 t.trace > one
"$REUSEDIST" analyze -q --out=csv -t auto t.trace | cmp - one
"$REUSEDIST" analyze -q --out=csv t.trace | cmp - one && echo same
"$REUSEDIST" analyze -v --mem=1G t.trace 2>&1 >/dev/null | grep -o 'the fastest on one thread'
"$REUSEDIST" mrc -v --mem=1G -t auto --sizes=640 t.trace 2>&1 >/dev/null | grep -o 'the fastest on one thread'
"$REUSEDIST" analyze -v -e chunks t.trace 2>&1 >/dev/null | grep -o ': 1 thread,'
for engine in null bk:arity=16; do
    "$REUSEDIST" analyze -v -e $engine t.trace 2>&1 >/dev/null |
        awk -v processors="$(nproc)" '/peak memory/ { sub(/.*its peak memory was /, ""); mib = $1 }
            END { print (processors == 1 || mib > 16) ? "reads ahead" : "one thread" }'
done
"$REUSEDIST" analyze -t many t.trace || echo $?
