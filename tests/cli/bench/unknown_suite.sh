"$REUSEDIST" bench nonsense
