# The answer is the same with any number of threads. The test does not check speeds.
"$REUSEDIST" bench threads --refs=20000 --threads=3 --repeat=1 -e chunks
