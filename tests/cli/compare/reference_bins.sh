cd "$DATA/profiles" && "$REUSEDIST" compare --hist=reference exact.json worse.json
