cd "$DATA/profiles" && "$REUSEDIST" compare --out=csv exact.json worse.json approx.json
