cd "$DATA/profiles" && "$REUSEDIST" compare "--fail-if=miss-ratio@1M>+1%" exact.json bounded.json >/dev/null
