# If several threads read parts of an uncompressed file, the result is the same as with one thread, and damage
# is still detected.
"$REUSEDIST" generate -q uniform:blocks=5000,refs=1100000 --to=u64 -o t.u64
for threads in 1 2; do
    "$REUSEDIST" analyze -q -b addr -f u64 -t $threads --out=csv t.u64 | cksum
done | uniq | wc -l
printf x >>t.u64
"$REUSEDIST" analyze -q -b addr -f u64 -t 2 --out=csv t.u64 || echo "exit $?"
