# A compiled-in recorder makes stack frames at most three times as large, and `run` gives the program a stack three
# times as large. So a program that just fits into its stack also runs when it is recorded.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
source=$(realpath "$DATA/../recorder/clang/stack.c")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
clang -O1 "$source" -o plain
"$cc" -O1 "$source" -o inlined
REUSEDIST_LTO=off "$cc" -O1 "$source" -o called
for program in plain inlined called; do ./$program >$program.bytes; done
paste -d' ' plain.bytes inlined.bytes called.bytes >bytes
awk '$4 > 3 * $2 || $6 > 3 * $2 {print "more than three times:", $0}' bytes
ulimit -S -s 8192
./plain 150000
for program in inlined called; do
    "$REUSEDIST" run --tool=clang -o /dev/null -- ./$program 150000 && echo "$program: good"
done
[ "$(ulimit -s)" = 8192 ]
