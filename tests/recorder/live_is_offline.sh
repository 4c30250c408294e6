# Analysed while it runs, or recorded and analysed later: the very same distances. (In the very same
# environment, because that lies on the program's stack.)
env -i "$REUSEDIST" run --hist=full --out=csv -o live.csv -- "$PROGRAMS/walk"
env -i "$REUSEDIST" record -o t.trace -- "$PROGRAMS/walk"
"$REUSEDIST" analyze --hist=full --out=csv -o offline.csv t.trace
[ "$(wc -l <live.csv)" -gt 100 ] && cmp live.csv offline.csv
