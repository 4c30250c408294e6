"$REUSEDIST" generate cycle:blocks=8,refs=80 -o loads.trace
"$REUSEDIST" analyze -q --kinds=S --out=json -o none.json loads.trace
cp "$DATA/profiles/exact.json" .
"$REUSEDIST" compare "--fail-if=miss-ratio@1M>1%" exact.json none.json >/dev/null
