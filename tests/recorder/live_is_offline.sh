# A live analysis and an analysis of a recorded trace give the same distances. Both runs have the same
# environment, because the environment is on the stack of the program.
env -i "$REUSEDIST" run --hist=full --out=csv -o live.csv -- "$PROGRAMS/walk"
env -i "$REUSEDIST" record -o t.trace -- "$PROGRAMS/walk"
"$REUSEDIST" analyze --hist=full --out=csv -o offline.csv t.trace
[ "$(wc -l <live.csv)" -gt 100 ] && cmp live.csv offline.csv
