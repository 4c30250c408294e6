cd "$DATA/profiles" && "$REUSEDIST" compare exact.json edges.json
