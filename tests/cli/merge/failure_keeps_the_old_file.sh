echo old >out.json; "$REUSEDIST" merge "$DATA/profiles/exact.json" "$DATA/profiles/page.json" -o out.json || cat out.json
