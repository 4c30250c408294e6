# After Ctrl-C, the program gets the signal, and the result covers the run up to that point.
env --default-signal=INT "$REUSEDIST" run --out=json -o t.json -- "$PROGRAMS/walk" forever >out &
until grep -qs walking out; do sleep 0.1; done
kill -INT $!
wait $! || echo "status $?"
grep '"partial"' t.json
[ "$(sed -n 's/.*"references": \([0-9]*\),$/\1/p' t.json)" -gt 85000 ] && echo "many references"
