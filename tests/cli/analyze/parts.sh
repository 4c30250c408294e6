# A plain file is read in parts by several threads: the same result as in one go, and damage is
# found.
"$REUSEDIST" generate -q uniform:blocks=5000,refs=1100000 --to=u64 -o t.u64
for threads in 1 2; do
    "$REUSEDIST" analyze -q -b addr -f u64 -t $threads --out=csv t.u64 | cksum
done | uniq | wc -l
printf x >>t.u64
"$REUSEDIST" analyze -q -b addr -f u64 -t 2 --out=csv t.u64 || echo "exit $?"
