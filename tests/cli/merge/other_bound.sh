cd "$DATA/profiles" && "$REUSEDIST" merge exact.json bounded.json
