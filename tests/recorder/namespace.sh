# A program in another PID namespace is recorded to its end, although the process id that it has there does
# not exist outside.
inside='echo 4194000 >/proc/sys/kernel/ns_last_pid && exec'
unshare --pid --fork sh -c "$inside true" 2>/dev/null || { echo "cannot choose process ids in a namespace"; exit 77; }
record() { # TOOL PROGRAM
    status=0
    "$REUSEDIST" run --tool=$1 --trace-children -q --out=json -o $1.json -- \
        unshare --pid --fork sh -c "echo 4194000 >/proc/sys/kernel/ns_last_pid; $2; exit \$?" || status=$?
    echo "$1: $status"
}
record valgrind "$PROGRAMS/pauses"
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$(realpath "$DATA/../recorder/pauses.c")" -o pauses-clang
record clang ./pauses-clang
