cd "$DATA/profiles" && "$REUSEDIST" compare "--fail-if=miss-ratio@1K>+1%" exact.json page.json >/dev/null
