# If another process kills the program, everything up to that point is analyzed.
"$REUSEDIST" run --out=json -o t.json -- "$PROGRAMS/walk" forever >out &
until grep -qs walking out; do sleep 0.1; done
pkill -KILL -P $! # the program, not this script
wait $! || echo "status $?"
grep '"partial"' t.json
[ "$(sed -n 's/.*"references": \([0-9]*\),$/\1/p' t.json)" -gt 85000 ] && echo "many references"
