"$REUSEDIST" bench --refs=1000 --repeat=1 -e nonsense
