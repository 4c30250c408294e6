# Programs that record themselves have exact references and misses per calling context, like programs under
# Valgrind (contexts.sh). Without link-time optimization, the recorder does not see arrays of variable length.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/contexts")
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
check() { # PROGRAM
    "$REUSEDIST" run --tool=clang --attribute --caches=L1=4K,L2=1M -q --out=json -o "$1.json" -- "./$1" >"$1.txt"
    python3 "$sources/check.py" "$1.json" "$1.txt" "$sources/trail.h"
}
for flags in -flto "-fno-lto -DNO_ARRAYS"; do
    echo "$flags"
    # shellcheck disable=SC2086 # several words
    "$tools/reusedist-cc" -g -O2 $flags "$sources/calls.c" -o calls -pthread
    check calls
    # shellcheck disable=SC2086 # several words
    "$tools/reusedist-c++" -g -O2 $flags "$sources/throws.cc" -o throws
    check throws
done
# A recorded trace has the same contexts.
"$REUSEDIST" record --tool=clang --attribute -q -o throws.trace -- ./throws >throws.txt
"$REUSEDIST" analyze --attribute --caches=L1=4K,L2=1M -q --out=json -o throws.json throws.trace
python3 "$sources/check.py" throws.json throws.txt "$sources/trail.h"
"$REUSEDIST" run --tool=clang --attribute --contexts=off -q --out=json -o throws.json -- ./throws >throws.txt
grep -q '"contexts"' throws.json || echo "left out on request"
# References in contexts that the recorder does not number are counted below the functions that make the calls.
"$tools/reusedist-cc" -g -O2 "$sources/edge.c" -o edge
"$REUSEDIST" run --tool=clang --attribute --caches=L1=4K -q --out=json -o edge.json -- ./edge 20
python3 "$sources/check_edge.py" edge.json 20
