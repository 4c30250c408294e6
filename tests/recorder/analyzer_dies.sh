# A recorded program exits with a message when its analyzer dies.
"$REUSEDIST" run -o t.txt -- "$PROGRAMS/walk" forever >out 2>messages &
analyzer=$!
until grep -qs walking out; do sleep 0.1; done
program=$(pgrep -P $analyzer)
# The shell may print that the analyzer was killed, before `wait` or during `wait`.
{ kill -KILL $analyzer && wait $analyzer; } 2>/dev/null || echo "status of the analyzer: $?"
for _ in $(seq 200); do
    [ -e "/proc/$program" ] || break
    sleep 0.1
done
[ ! -e "/proc/$program" ] && echo "the program has ended"
sed 's/^==[0-9]*== //' messages | grep reusedist:
