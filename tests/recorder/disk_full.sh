# If the disk is full, recording fails, and the trace can be read up to that point.
(
    ulimit -f 50000
    "$REUSEDIST" record --to=native:frame=1024 -o t.trace -- "$PROGRAMS/walk" forever >out 2>messages
) || echo "status $?"
grep t.trace messages
"$REUSEDIST" analyze --partial --out=json t.trace >t.json 2>messages || echo "status $?"
grep -c truncated messages
grep '"partial"' t.json
