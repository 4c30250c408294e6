# The threads of a parent and of its children are different threads in lockstep, in traces and live, although they
# have the same numbers. A child begins after the fork(), and its parent goes on after the waitpid().
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
show() { # TOOL
    local address bytes
    "$REUSEDIST" record -q --trace-children --attribute --thread --tool="$1" -o t.trace -- "./$1"
    "$REUSEDIST" sharing -q --out=csv -o t.csv t.trace
    awk -F, -v tool="$1" '$7 == "counters" && $6 > 15000 {n++}
        END {print tool ": false sharing in " n " processes"}' t.csv
    "$REUSEDIST" run -q --trace-children --stacks=private --interleave=lockstep --kinds=LS --out=json --tool="$1" \
        -o t.json -- "./$1"
    python3 - <<'END'
import json
rows = json.load(open("t.json"))["threads"]["rows"]
print("live:", *(f"{row['process']}/{row['thread']}" for row in rows if row["false_sharing"] > 7000))
END
    "$REUSEDIST" record -q --trace-children --thread --tool="$1" -o t.trace -- "./$1" wait >place
    read -r address bytes <place
    "$PROGRAMS/check_order" t.trace "$address" "$bytes" 100
}
gcc -g -O1 "$DATA/../recorder/processes/processes.c" -o valgrind -pthread -no-pie
show valgrind
command -v clang >/dev/null || exit 0
"$tools/reusedist-cc" -g -O1 "$DATA/../recorder/processes/processes.c" -o clang -pthread
show clang
