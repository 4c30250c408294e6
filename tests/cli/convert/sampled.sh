# The mark that the recorder skipped references stays in the new trace, or the command says that it is lost.
printf ' L 1000,8\n S 2000,4\n' >t.lackey
"$REUSEDIST" convert --to=native:sampled=on t.lackey -o sampled.trace
"$REUSEDIST" convert t.lackey -o whole.trace
"$REUSEDIST" convert --to=lackey sampled.trace -o lost.lackey
"$REUSEDIST" convert sampled.trace whole.trace -o both.trace
"$REUSEDIST" analyze -q --out=json both.trace | grep '"exact"'
"$REUSEDIST" convert whole.trace sampled.trace -o both.trace || echo "exit $?"
