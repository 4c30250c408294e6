# In programs of several languages with one planted hot spot each, the first row of the report and of the page
# names the planted line of the program, even if the misses occur in the C library or in inlined library code.
# By default three programs are checked; EVERY=yes checks all ten. A program is skipped if there is no compiler
# for its language.
"$REUSEDIST" version | grep -q '^ *libdw' || { echo "built without libdw: addresses have no lines"; exit 77; }
sources=$(realpath "$DATA/../recorder/own_code")
programs="copies.c tree.cpp boxes.rs"
[ "${EVERY-no}" = no ] || programs=$(cd "$sources" && echo *.c *.cpp *.rs *.go *.f90)
compile() { # SOURCE
    case $1 in
    *.c) cc -g -O2 "$1" -o program ;;
    *.cpp) c++ -std=c++17 -gdwarf-4 -O2 "$1" -o program ;;
    *.rs) rustc -g -O "$1" -o program ;;
    *.go) GOCACHE=$PWD/cache go build -o program "$1" ;;
    *.f90) gfortran -g -O2 "$1" -o program ;;
    esac
}
checked=0
for source in $programs; do
    cp "$sources/$source" .
    compile "$source" >log 2>&1 || { grep -q 'not found' log && continue; cat log; }
    "$REUSEDIST" run -q --attribute --caches=L1=32K,L2=1M --report=page.html -o report -- ./program >/dev/null
    python3 - "$source" <<'PYTHON'
import re, sys
source = sys.argv[1]
planted = 1 + next(i for i, line in enumerate(open(source)) if "planted" in line)
row = open("report").read().split("\nLines\n")[1].splitlines()[1]
if not row.startswith(f"  {source}:{planted} "):
    print(f"{source}:{planted} is planted, the report begins with", row)
page = open("page.html").read()
names = re.search(r'"sources":\s*\[("[^]]*)\]', page[page.index('"attribution"'):]).group(1)
line = re.search(r'"lines":\s*\[\s*\{"source":\s*(\d+),\s*"line":\s*(\d+)', page)
name = re.findall(r'"([^"]*)"', names)[int(line.group(1))]
if not name.endswith("/" + source) or int(line.group(2)) != planted:
    print(f"{source}:{planted} is planted, the page begins with {name}:{line.group(2)}")
PYTHON
    checked=$((checked + 1))
done
[ $checked -ge 2 ] && echo "all right"
