cd "$DATA/profiles" && "$REUSEDIST" compare --out=json exact.json worse.json approx.json
