"$REUSEDIST" engines --nonsense
