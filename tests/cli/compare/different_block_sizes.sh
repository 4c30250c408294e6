cd "$DATA/profiles" && "$REUSEDIST" compare --out=csv exact.json page.json
