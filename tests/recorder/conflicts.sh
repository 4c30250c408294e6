# A report names the lines and the data with conflicts in simulated caches, and the padding that avoids them. The
# padded programs have no conflicts there, and nothing is said about them.
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "built without libdw"
    exit 77
fi
sources=$(realpath "$DATA/../recorder/locality")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
said() { # the conflicts and the advice of a report
    sed -n '/^Conflicts:/,/^Caches/{ /^Caches/d; /L1: .*_\|L1: CSW/d; s/   .*//; p; }' report
}
check() { # NAME CACHES LEVEL [OPTION...]: runs NAME and NAME-padded
    for name in "$1" "$1-padded"; do
        "$REUSEDIST" run --attribute --caches="$2" -o report "${@:4}" -- "./$name" >/dev/null 2>&1
        awk -v name="$name" -v level="$3" '/^Causes of misses  / { on = 1 }
            on && $1 == level { print name ":", ($(NF - 1) < 3 ? "few" : "many"), "conflicts in", level; exit }' report
        said
    done
}
build() { # COMPILER...
    for name in transpose lockstep; do
        "$@" -g -O1 "$sources/$name.c" -o $name
        "$@" -g -O1 -DPAD=8 "$sources/$name.c" -o $name-padded
    done
}
build cc
check transpose L1=32K:8,L2=1M:16 L2
check lockstep L1=32K:1,L2=1M:16 L1
echo "from a trace:"
"$REUSEDIST" record --attribute -o trace -- ./transpose >/dev/null 2>&1
"$REUSEDIST" analyze --simulate --attribute --caches=L1=32K:8,L2=1M:16 -o report trace
said
"$REUSEDIST" analyze --simulate --attribute --caches=L1=32K:8,L2=1M:16 --out=json -o profile.json trace
python3 "$DATA/../../scripts/check_profile.py" profile.json
command -v clang >/dev/null || exit 0
build "$cc"
check transpose L1=32K:8,L2=1M:16 L2 --tool=clang >clang.txt
grep -q "in strides of 8192 bytes" clang.txt && grep -q "padded: few" clang.txt || cat clang.txt
