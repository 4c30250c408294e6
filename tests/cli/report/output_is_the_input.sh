cp "$DATA/profiles/exact.json" p
"$REUSEDIST" report p -o p || echo "exit $?"
cmp "$DATA/profiles/exact.json" p
