cp "$DATA/profiles/exact.json" a; "$REUSEDIST" compare --junit=a --fail-if=different a a
