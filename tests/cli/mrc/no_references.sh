# If a trace has no references of the selected kinds, there are no miss ratios.
"$REUSEDIST" generate cycle:blocks=8,refs=80 -o loads.trace
"$REUSEDIST" analyze -q --kinds=S --out=json -o profile loads.trace
"$REUSEDIST" mrc profile
"$REUSEDIST" mrc --out=csv --sizes=1K,2K profile
"$REUSEDIST" mrc --out=json profile
