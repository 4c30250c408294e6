"$REUSEDIST" merge "$DATA/profiles/exact.json" -o none/out.json
