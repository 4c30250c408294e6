"$REUSEDIST" version
