"$REUSEDIST" engines nonsense
