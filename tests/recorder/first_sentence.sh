# The report of run --attribute tells a program with false sharing from one without, says what to separate, and
# finds the same data as `sharing` finds in a trace. The reuse distances have the recorded order.
show() { # NAME
    "$REUSEDIST" run -q --attribute --out=json -o "$1.json" -- "./$1" >/dev/null
    "$REUSEDIST" run -q --attribute -- "./$1" 2>&1 >/dev/null | grep -A 4 '^  sharing' |
        sed -E 's/[0-9.]+ k? ?coherence/N coherence/; s/[0-9.<]+ % of the/N % of the/; s/^ +[0-9.]+ % of them/N % of them/;
            s/\[[0-9]\]/[N]/g; /^  reuse/d; /^  measured/d'
    "$REUSEDIST" sharing "$1.json" | grep -c 'separate slots' || true
    grep -c '"interleaving"' "$1.json" || true
}
gcc -g -O1 -pthread "$EXAMPLES/counters.c" -o planted
gcc -g -O1 -pthread -DFIXED "$EXAMPLES/counters.c" -o clean
show planted
show clean
