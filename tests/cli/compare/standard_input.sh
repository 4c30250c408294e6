cd "$DATA/profiles" && "$REUSEDIST" compare --out=csv - exact.json <exact_log.json
