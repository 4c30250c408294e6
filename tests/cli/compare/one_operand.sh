"$REUSEDIST" compare a
