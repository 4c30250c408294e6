"$REUSEDIST" compare "--fail-if=miss-ratio@1M>+-1%" a b
