# SIGUSR1 starts recording, and SIGUSR2 pauses it.
"$REUSEDIST" run --paused --out=json -o t.json -- "$PROGRAMS/walk" forever >out &
until grep -qs walking out; do sleep 0.1; done
kill -USR1 $!
sleep 0.5
kill -USR2 $!
sleep 0.5
kill -TERM $!
wait $! || echo "status $?"
sed -n 's/.*"references": [1-9][0-9]*,$/some recorded/p; s/.*"skipped": [1-9][0-9]*,$/some skipped/p' t.json
