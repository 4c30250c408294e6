# If a pool of `hprda` is too small for the blocks of a round, the device steps stay inside the pool, and the
# message is the same as with backend=openmp.
seq 64 >trace
for pool in ST=8,NB=8,MS=4 ST=4,NB=4,MS=40; do
    for backend in cuda openmp; do
        "$REUSEDIST" analyze -f text -b addr -e hprda:backend=$backend,N=64,$pool trace || echo "status $?"
    done
done
