cd "$DATA/profiles" && "$REUSEDIST" compare exact.json exact_log.json
