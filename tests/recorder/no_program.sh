# A program that cannot be started gives an exit status and no report.
printf 'not a program' >text
for command in ./missing ./text; do
    "$REUSEDIST" run -o report.txt -- $command 2>/dev/null || echo "status $?"
    "$REUSEDIST" run --tool=clang -o report.txt -- $command 2>/dev/null || echo "status $?"
    [ ! -e report.txt ] || echo "a report of nothing"
done
# An existing trace is not replaced.
echo "kept" >t.trace
"$REUSEDIST" record -o t.trace -- ./missing 2>/dev/null || echo "status $?"
cat t.trace
