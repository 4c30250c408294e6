# Speeds are not tested, only that the answers were right and the table is there.
"$REUSEDIST" figure7 --refs=200000 --repeat=1
