# A program ends while one of its threads runs. The result covers what ran, and a message says so. If the first
# thread ends first and the program ends with its last thread, there is no message, however long the last thread runs.
ulimit -c 0
sources=$DATA/../recorder/order
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
check() { # TOOL HOW
    local status=0
    "$REUSEDIST" run --tool="$1" --stacks=private --interleave=lockstep -o result.txt -- "./$1" "$2" 2>notes || status=$?
    echo "$1, $2: exit status $status"
    grep '^reusedist: ' notes || true
    sed -n '2,5{/incomplete\|in lockstep/p}' result.txt
    grep -c 'stacks  .* threads; interleaving: lockstep:1' result.txt
}
gcc -O1 "$sources/ends.c" -o valgrind -pthread
for how in exit crash kill leave stay; do check valgrind $how; done
command -v clang >/dev/null || exit 0
"$tools/reusedist-cc" -O1 "$sources/ends.c" -o clang -pthread
for how in exit crash kill leave stay; do check clang $how; done
