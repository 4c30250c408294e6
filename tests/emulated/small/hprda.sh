# Checks the device steps of `hprda` in plain memory. The estimates are the same as with backend=openmp.
"$REUSEDIST" verify -e hprda:backend=cuda,N=4K,ST=64 -e hprda:backend=cuda,N=60,ST=5,NB=4 --traces=60
"$REUSEDIST" generate zipf:blocks=3K,refs=100K -o trace
for options in N=32K,ST=128 N=1M,ST=2048,adjust=off N=64,ST=8,NB=2; do
    "$REUSEDIST" analyze -e hprda:backend=cuda,$options --distances=- -o /dev/null trace >got
    "$REUSEDIST" analyze -e hprda:$options --distances=- -o /dev/null trace >expected
    cmp got expected
done
