"$REUSEDIST" run --
