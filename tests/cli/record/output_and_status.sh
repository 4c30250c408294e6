# The program keeps its input, output and exit status, and its references are in the trace.
"$REUSEDIST" version | grep -q '^ *valgrind' || { echo "no recorder in this build"; exit 77; }
echo hello | "$REUSEDIST" record -o t.trace -- sh -c 'read x; echo "$x out"; echo err >&2; exit 7' || echo "status $?"
"$REUSEDIST" analyze --out=json t.trace | grep -c '"format": "native"'
"$REUSEDIST" analyze --hist=log --out=csv t.trace | head -1
