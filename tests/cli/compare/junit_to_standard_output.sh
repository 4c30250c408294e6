"$REUSEDIST" compare --junit=- --fail-if=different a b
