cd "$DATA/profiles" && "$REUSEDIST" compare --fail-if=different exact.json exact.json >/dev/null
