# Tests that the results are right and the table is printed. Speeds are not tested.
"$REUSEDIST" figure7 --refs=200000 --repeat=1
