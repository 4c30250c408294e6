# A report names the lines and the data with conflicts in simulated caches, and the padding that avoids them. The
# padded programs have few conflicts, and the report gives no advice about them.
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "built without libdw"
    exit 77
fi
sources=$(realpath "$DATA/../recorder/locality")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
said() { # prints the conflicts and the advice of a report: a line per paragraph, shares rounded to multiples of 5 %
    # The addresses of the stack and of the C library's data differ from run to run, and so do their few
    # conflicts.
    sed -n '/^Conflicts:/,/^Caches/{ /^Caches/d; s/   .*//; p; }' report | awk '
        function flush() { if (text != "") print text; text = "" }
        /^  / || /^Conflicts:/ || /^$/ { flush(); print; next }
        { for (i = 1; i < NF; i++) if ($(i + 1) == "%") $i = 5 * int($i / 5 + 0.5)
          text = text (text == "" ? "" : " ") $0 }
        END { flush() }'
}
check() { # NAME CACHES LEVEL [OPTION...]: runs NAME and NAME-padded
    for name in "$1" "$1-padded"; do
        "$REUSEDIST" run --attribute --caches="$2" -o report "${@:4}" -- "./$name" >/dev/null 2>&1
        awk -v name="$name" -v level="$3" '/^Causes of misses  / { on = 1 }
            on && $1 == level { print name ":", ($(NF - 1) < 3 ? "few" : "many"), "conflicts in", level; exit }' report
        said
    done
}
build() { # COMPILER NAME...
    for name in "${@:2}"; do
        "$1" -g -O1 "$sources/$name.c" -o "$name"
        "$1" -g -O1 -DPAD=8 "$sources/$name.c" -o "$name-padded"
    done
}
build cc transpose lockstep
check transpose L1=8K:8,L2=64K:16 L2
check lockstep L1=32K:1,L2=512K:16 L1 | grep . | sort # because the two arrays have equally many misses
echo "from a trace:"
"$REUSEDIST" record --attribute -o trace -- ./transpose >/dev/null 2>&1
"$REUSEDIST" analyze --simulate --attribute --caches=L1=8K:8,L2=64K:16 -o report trace
said
"$REUSEDIST" analyze --simulate --attribute --caches=L1=8K:8,L2=64K:16 --out=json -o profile.json trace
python3 "$DATA/../../scripts/check_profile.py" profile.json
command -v clang >/dev/null || exit 0
build "$cc" transpose
check transpose L1=8K:8,L2=64K:16 L2 --tool=clang >clang.txt
grep -q "in strides of 2048 bytes" clang.txt && grep -q "padded: few" clang.txt || cat clang.txt
