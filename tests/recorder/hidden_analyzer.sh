# A program that changes its root or environment, and so can no longer find its analyzer, is still recorded,
# even if it has to wait for the analyzer.
mkdir empty
# hide TOOL PROGRAM HOW: runs a program that stops the analyzer, and lets the analyzer continue later.
hide() {
    local status=0
    (cd empty && exec "$REUSEDIST" run --collapse=off --tool="$1" -o ../t.txt -- "$2" "$3") 2>messages &
    # Wait until the analyzer is stopped, or has ended because the program may not change its root.
    while [ -e /proc/$! ] && ! grep -q ') [TZ]' "/proc/$!/stat"; do sleep 0.1; done 2>/dev/null
    sleep 0.5
    kill -CONT $! 2>/dev/null || true
    wait $! || status=$?
    [ $status -ne 77 ] || { echo "may not change the root"; exit 77; }
    [ $status -eq 0 ] || cat messages
}
hide valgrind "$PROGRAMS/hide" environment
hide valgrind "$PROGRAMS/hide" root
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$(realpath "$DATA/../recorder/hide.c")" -o hide
hide clang "$PWD/hide" environment
hide clang "$PWD/hide" root
