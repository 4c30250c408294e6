cd "$DATA/profiles" && "$REUSEDIST" merge exact.json worse.json page.json
