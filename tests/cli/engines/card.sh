"$REUSEDIST" engines stack
