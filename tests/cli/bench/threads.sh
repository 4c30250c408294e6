# The same answer with any number of threads; speeds are not tested.
"$REUSEDIST" bench threads --refs=20000 --threads=3 --repeat=1 -e chunks
