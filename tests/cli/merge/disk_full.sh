"$REUSEDIST" merge "$DATA/profiles/exact.json" -o /dev/full
