# If the disk is full, recording fails, and the trace can be read up to that point. An old trace stays.
(
    ulimit -f 50000
    "$REUSEDIST" record --to=native:frame=1024 -o t.trace -- "$PROGRAMS/walk" forever >out 2>messages
) || echo "status $?"
grep t.trace messages
"$REUSEDIST" analyze --partial --out=json t.trace >t.json 2>messages || echo "status $?"
grep -c truncated messages
grep '"partial"' t.json

echo "an old trace"
"$REUSEDIST" record -q -o old.trace -- "$PROGRAMS/walk"
cp old.trace copy.trace
(
    ulimit -f 50000
    "$REUSEDIST" record --to=native:frame=1024 -o old.trace -- "$PROGRAMS/walk" forever >out 2>messages
) || echo "status $?"
grep old.trace messages
cmp old.trace copy.trace
"$REUSEDIST" analyze --partial --out=json old.trace.partial >t.json 2>messages || echo "status $?"
grep -c truncated messages

echo "a killed recorder"
rm old.trace.partial out
"$REUSEDIST" record -q -o old.trace -- "$PROGRAMS/walk" forever >out 2>messages &
until [ -s old.trace.partial ]; do sleep 0.1; done # the file appears with the first references
kill -KILL $!
wait $! 2>messages.of.bash || echo "status $?"
until grep -q "the analyzer has exited" messages; do sleep 0.1; done
cmp old.trace copy.trace
ls old.trace*
