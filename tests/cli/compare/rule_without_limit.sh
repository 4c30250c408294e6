"$REUSEDIST" compare "--fail-if=accuracy" a b
