cp "$DATA/profiles/exact.json" a.json && "$REUSEDIST" merge a.json a.json -o a.json && grep references a.json
