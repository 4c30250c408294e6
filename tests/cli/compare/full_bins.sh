cd "$DATA/profiles" && "$REUSEDIST" compare --hist=full exact.json approx.json
