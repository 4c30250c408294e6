cd "$DATA/profiles" && "$REUSEDIST" merge exact.json approx.json | grep -v "\"tool\""
