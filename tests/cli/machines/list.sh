# At least twelve machines are known, each with its caches.
"$REUSEDIST" machines | sed '1,/^Known/d' >list
[ "$(wc -l <list)" -ge 12 ]
grep -E '^  (zen4|skylake|graviton4) ' list
"$REUSEDIST" machines | head -1
