# If the program has ended but a process that it started has not, a signal ends the recording.
"$REUSEDIST" run --trace-children --out=json -o t.json -- \
    sh -c '"$0" forever >out & echo $! >child' "$PROGRAMS/walk" 2>messages &
until grep -qs walking out && grep -q "^PPid:[[:space:]]*$!$" "/proc/$(cat child)/status"; do sleep 0.1; done
kill -TERM $!
wait $! && echo "status of the program"
grep '"partial"' t.json
for _ in $(seq 200); do
    [ -e "/proc/$(cat child)" ] || break
    sleep 0.1
done
[ -e "/proc/$(cat child)" ] || echo "the child has ended"
# The message depends on which event the command sees first.
sed -E 's/^==[0-9]*== //; s/(has exited|accepts no more references)/has left/' messages
