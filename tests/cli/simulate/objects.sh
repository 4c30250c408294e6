# Sizes are numbers of objects if the trace has object ids.
printf '%s\n' apple pear apple plum apple >trace
"$REUSEDIST" simulate --caches=cache=2:2 --out=csv trace
"$REUSEDIST" simulate --caches=cache=2:2 trace
"$REUSEDIST" simulate --caches=cache=2K:2 trace || echo "status $?"
