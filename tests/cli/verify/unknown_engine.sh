"$REUSEDIST" verify -e nonsense
