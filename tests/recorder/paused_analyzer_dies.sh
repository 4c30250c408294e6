# A program whose recording is paused also exits when its analyzer dies.

# die TOOL PROGRAM: runs the program with paused recording, and kills the analyzer.
die() {
    "$REUSEDIST" run --tool="$1" --paused -o t.txt -- "$2" forever >out 2>messages &
    local analyzer=$!
    until grep -qs walking out; do sleep 0.1; done
    local program
    program=$(pgrep -P $analyzer)
    { kill -KILL $analyzer && wait $analyzer; } 2>/dev/null || true
    for _ in $(seq 300); do
        [ -e "/proc/$program" ] || break
        sleep 0.1
    done
    [ -e "/proc/$program" ] || echo "the program has ended"
    sed 's/^==[0-9]*== //' messages | grep reusedist:
    rm out
}
die valgrind "$PROGRAMS/walk"
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$(realpath "$DATA/../recorder/walk.c")" -o walk
die clang ./walk
