cd "$DATA/profiles" && "$REUSEDIST" compare "--fail-if=miss-ratio@16K>+1%" exact.json better.json worse.json exact.json >/dev/null
