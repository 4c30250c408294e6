"$REUSEDIST" merge "$DATA/profiles/exact.json" "$DATA/profiles/worse.json" -o sum.json && "$REUSEDIST" merge - <sum.json | cmp - sum.json
