cd "$DATA/profiles" && "$REUSEDIST" compare --fail-if=bound-broken exact.json broken.json >/dev/null
