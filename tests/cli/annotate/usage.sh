# Mistakes in the options and operands of annotate are reported.
try() { "$REUSEDIST" annotate "$@" && echo "no failure" || true; }
try
try "$DATA/profiles/exact.json"
try --cache=L9 "$DATA/profiles/contexts.json"
try --threshold=200 "$DATA/profiles/contexts.json"
"$REUSEDIST" annotate "$DATA/profiles/contexts.json" nothing.c | sed -n '4,$p'
