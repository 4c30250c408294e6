# With the compiled-in recorder, live and offline analysis agree, and the program exits when its analyzer
# dies. A program without the recorder gets a message.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
root=$DATA/../..
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 -static "$root/tests/recorder/walk.c" -o walk
env -i "$REUSEDIST" run --tool=clang --hist=full --out=csv -o live.csv -- ./walk
env -i "$REUSEDIST" record --tool=clang -o t.trace -- ./walk
"$REUSEDIST" analyze --hist=full --out=csv -o offline.csv t.trace
[ "$(wc -l <live.csv)" -gt 100 ] && cmp live.csv offline.csv && echo "the same"
env -i "$REUSEDIST" run -e stack --tool=clang --hist=full --out=csv -o slow.csv -- ./walk
cmp live.csv slow.csv && echo "the same, slowly"

"$REUSEDIST" run --tool=clang -o t.txt -- ./walk forever >out 2>messages &
analyzer=$!
until grep -qs walking out; do sleep 0.1; done
program=$(pgrep -P $analyzer)
{ kill -KILL $analyzer && wait $analyzer; } 2>/dev/null || echo "status of the analyzer: $?"
for _ in $(seq 200); do
    [ -e "/proc/$program" ] || break
    sleep 0.1
done
[ ! -e "/proc/$program" ] && echo "the program has ended"
grep reusedist: messages

"$REUSEDIST" run --tool=clang -o t.txt -- true 2>&1 || echo "status $?"
"$REUSEDIST" run --tool=clang --inside=walk -- ./walk 2>&1 || echo "status $?"
