"$REUSEDIST" formats nonsense
