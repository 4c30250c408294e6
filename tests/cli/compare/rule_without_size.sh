"$REUSEDIST" compare "--fail-if=miss-ratio>1%" a b
