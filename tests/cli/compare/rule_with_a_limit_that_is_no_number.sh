"$REUSEDIST" compare "--fail-if=blocks>1K" a b
