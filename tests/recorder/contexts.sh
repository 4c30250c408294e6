# Each program notes which of its functions are active when it walks through memory. The profile must have
# exactly these references and misses in exactly these calling contexts.
sources=$(realpath "$DATA/../recorder/contexts")
caches=L1=4K,L2=1M
check() { # PROGRAM
    "$REUSEDIST" run --attribute --caches=$caches -q --out=json -o "$1.json" -- "./$1" >"$1.txt"
    python3 "$sources/check.py" "$1.json" "$1.txt" "$sources/trail.h"
}

cc -g -O2 "$sources/calls.c" -o calls -pthread
check calls
if command -v c++ >/dev/null; then
    c++ -gdwarf-4 -O2 "$sources/throws.cc" -o throws
    check throws
fi
# The startup code that the C library links into a program follows main in memory, but is not taken for a line of
# main, even if the last line of main has no code.
cc -g -O2 -S "$sources/startup.c"
printf '.section .text.startup\n.loc 1 11 1 view .LVUlast\n' >>startup.s
cc startup.s -o startup
"$REUSEDIST" run --attribute --caches=$caches -q --out=json -o startup.json -- ./startup
python3 - startup.json <<'PYTHON'
import json, sys
for f in json.load(open(sys.argv[1]))["contexts"]["frames"]:
    if f["function"] == "_start" and f["own"]:
        print("_start is own code in line", f["line"], "of", f["file"])
PYTHON
# A recorded trace has the same contexts, and so has a copy of it.
"$REUSEDIST" record --attribute -q -o calls.trace -- ./calls >calls.txt
"$REUSEDIST" convert -q calls.trace -o copy.trace
"$REUSEDIST" analyze --attribute --caches=$caches -q --out=json -o copy.json copy.trace
python3 "$sources/check.py" copy.json calls.txt "$sources/trail.h"
"$REUSEDIST" analyze --attribute --contexts=off -q --out=json copy.trace | grep '"contexts"' || echo "left out on request"
"$REUSEDIST" analyze --attribute --caches=$caches --ascii -q copy.trace | sed -n '/^Call paths/,/^$/p' | tr -d '\n' |
    grep -q 'trail.h:[0-9]* walk .*<- .*main:' && echo "the report has call paths"
# A warning says that --own matches no source file.
for own in /nonexistent calls.c; do
    "$REUSEDIST" analyze --attribute --own=$own --caches=$caches -q copy.trace 2>&1 >/dev/null |
        grep -o 'warning: --own=.* source file' || echo "$own matches"
done
# References in contexts that the recorder does not number are counted below the functions that make the calls.
cc -g -O2 "$sources/edge.c" -o edge
"$REUSEDIST" run --attribute --caches=L1=4K -q --out=json -o edge.json -- ./edge 20
python3 "$sources/check_edge.py" edge.json 20
