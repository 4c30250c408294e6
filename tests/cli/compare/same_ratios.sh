# Two profiles with the same miss ratios have the same locality, even if one run is longer.
"$REUSEDIST" merge "$DATA/profiles/exact.json" "$DATA/profiles/exact.json" -o twice.json
"$REUSEDIST" compare "$DATA/profiles/exact.json" twice.json | sed -n '4,/^$/p'
