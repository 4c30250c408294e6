cd "$DATA/profiles" && "$REUSEDIST" compare exact.json worse.json >/dev/full
