"$REUSEDIST" nonsense
