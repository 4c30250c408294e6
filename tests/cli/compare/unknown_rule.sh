"$REUSEDIST" compare --fail-if=worse a b
