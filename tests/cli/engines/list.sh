"$REUSEDIST" engines
