cd "$DATA/profiles" && "$REUSEDIST" compare --junit=/dev/full --fail-if=different exact.json exact.json
