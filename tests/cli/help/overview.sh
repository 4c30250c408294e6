"$REUSEDIST" help
