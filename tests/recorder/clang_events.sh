# The compiled-in recorder records the same events as the recorder for Valgrind, and supports bursts.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/events")
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
check() { # TRACE NAME...
    python3 "$sources/check.py" "$@"
}

"$tools/reusedist-cc" -g -O1 "$sources/allocations.c" -o allocations -pthread
clang -g -O1 -shared -fPIC "$sources/library.c" -o library.so
"$REUSEDIST" record --tool=clang --attribute -o t.trace -- ./allocations ./library.so
check t.trace allocations library.so | tee pie.txt
"$tools/reusedist-cc" -g -O1 -no-pie "$sources/allocations.c" -o allocations -pthread
"$REUSEDIST" record --tool=clang --attribute -o t.trace -- ./allocations ./library.so >/dev/null
check t.trace allocations library.so | diff pie.txt - && echo "the same at fixed addresses"
echo "children:"
"$REUSEDIST" record --tool=clang --attribute --trace-children -o t.trace -- ./allocations fork >/dev/null
check t.trace allocations | grep process

echo "threads:"
"$tools/reusedist-cc" -g -O1 "$sources/workers.c" -o workers -pthread
"$REUSEDIST" record --tool=clang --attribute -o t.trace -- ./workers
check t.trace workers | sed -n 's/: .*bytes,/:/p'
"$tools/reusedist-cc" -g -O1 -static "$sources/workers.c" -o workers -pthread
"$REUSEDIST" record --tool=clang --attribute -o t.trace -- ./workers
python3 "$DATA/../../scripts/decode_trace.py" t.trace | awk '
    $1 == "event" {if ($2 == "module" && !n) print "the module comes first"; stacks += $2 == "stack"; next}
    {n++} END {print stacks, "stacks,", (n > 200000 ? "all" : "few"), "references"}'

for libraries in -shared-libgcc -static-libstdc++; do
    "$tools/reusedist-c++" -g -O1 $libraries "$sources/operators.cc" -o operators
    "$REUSEDIST" record --tool=clang --attribute -o t.trace -- ./operators
    check t.trace operators | diff "$sources/operators.txt" -
done

# References are the same with and without program counters and events.
"$tools/reusedist-cc" -O1 "$sources/../walk.c" -no-pie -o walk
for how in "" --pc --attribute; do
    env -i "$REUSEDIST" record --tool=clang $how --to=u64 -o "t$how" -- ./walk 2>/dev/null
done
cmp t t--pc && cmp t t--attribute && echo "the same references"

# Bursts record and skip the given numbers of references alternately.
all=$(($(stat -c %s t) / 8))
env -i "$REUSEDIST" record --tool=clang --burst=1000:500 --to=u64 -o t.burst -- ./walk 2>/dev/null
recorded=$(($(stat -c %s t.burst) / 8))
expected=$((all / 1500 * 1000 + (all % 1500 < 1000 ? all % 1500 : 1000)))
[ $recorded -eq $expected ] && echo "bursts have the length that was asked for"
head -c 8000 t | cmp - <(head -c 8000 t.burst) && echo "and begin at once"
cmp <(tail -c +12001 t | head -c 8000) <(tail -c +8001 t.burst | head -c 8000) && echo "and come again"
"$REUSEDIST" run --tool=clang --start=main -- ./walk 2>&1 || echo "status $?"
