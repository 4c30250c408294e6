cd "$DATA/profiles" && "$REUSEDIST" merge exact.json edges.json
