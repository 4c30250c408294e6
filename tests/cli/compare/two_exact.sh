cd "$DATA/profiles" && "$REUSEDIST" compare exact_log.json worse.json
