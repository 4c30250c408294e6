# Mistakes in the options of exports are reported.
try() { "$REUSEDIST" report "$@" && echo "no failure" || true; }
try --to=gif "$DATA/profiles/contexts.json"
try --to=svg --cache=L9 "$DATA/profiles/contexts.json"
try --to=svg "$DATA/profiles/contexts.json" "$DATA/profiles/page.json"
try --to=svg --caches=L1=32K "$DATA/profiles/contexts.json"
try --cache=L1 "$DATA/profiles/contexts.json"
try --to=pprof "$DATA/profiles/exact.json"
