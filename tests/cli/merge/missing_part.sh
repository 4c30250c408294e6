"$REUSEDIST" merge "$DATA/profiles/exact.json" none.json -o out.json || test ! -e out.json
