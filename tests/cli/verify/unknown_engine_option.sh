"$REUSEDIST" verify -e stack:nonsense=1
