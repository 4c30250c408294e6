# Without an analyser the program ends, with a message.
"$REUSEDIST" run -o t.txt -- "$PROGRAMS/walk" forever >out 2>messages &
analyser=$!
until grep -qs walking out; do sleep 0.1; done
program=$(pgrep -P $analyser)
kill -KILL $analyser
wait $analyser 2>/dev/null || echo "status of the analyser: $?"
for _ in $(seq 200); do
    [ -e "/proc/$program" ] || break
    sleep 0.1
done
[ ! -e "/proc/$program" ] && echo "the program has ended"
sed 's/^==[0-9]*== //' messages | grep reusedist:
