# Two profiles with the same miss ratios have the same locality, even if one run is longer.
"$REUSEDIST" merge "$DATA/profiles/exact.json" "$DATA/profiles/exact.json" -o twice.json
"$REUSEDIST" compare "$DATA/profiles/exact.json" twice.json | sed -n '4,/^$/p'
# Numbers of misses say nothing about runs of very different length: their miss ratios are compared.
for refs in 2K 200K; do
    "$REUSEDIST" generate zipf:blocks=500,refs=$refs -o t
    "$REUSEDIST" analyze -q --out=json -o $refs.json t
done
"$REUSEDIST" compare 200K.json 2K.json | sed -n '4,/^$/p'
# Nothing is known about caches beyond a bound.
"$REUSEDIST" analyze -q --bound=128 --out=json -o bounded.json t
"$REUSEDIST" compare 200K.json bounded.json 2>/dev/null | sed -n '4,/^$/p'
