# Mistakes in the options and operands of annotate are reported.
try() { "$REUSEDIST" annotate "$@" && echo "no failure" || true; }
try
try "$DATA/profiles/exact.json"
try --cache=L9 "$DATA/profiles/contexts.json"
try --threshold=200 "$DATA/profiles/contexts.json"
"$REUSEDIST" annotate "$DATA/profiles/contexts.json" nothing.c | sed -n '3,$p'
"$REUSEDIST" annotate "$DATA/profiles/contexts.json" nothing.c words.cpp other.c | grep '^Note: the profile'
# Paths of own code that match nothing
"$REUSEDIST" annotate --own=/nonexistent "$DATA/profiles/contexts.json" >/dev/null
"$REUSEDIST" report --own=/nonexistent --own=nothing.c "$DATA/profiles/contexts.json" >/dev/null
"$REUSEDIST" report --to=csv --own=nothing.c "$DATA/profiles/contexts.json" >/dev/null
# One of the paths matches
"$REUSEDIST" annotate --own=/nonexistent --own=words.cpp "$DATA/profiles/contexts.json" >/dev/null
