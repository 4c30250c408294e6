# If the size that a hit ratio needs lies inside a bin, the size is an upper limit, and JSON does not call it exact.
awk 'BEGIN { for (i = 0; i < 15000; i++) printf "0x%x\n", 64 * (i < 14000 ? i % 700 : i) }' >cycle
analyze() { "$REUSEDIST" analyze -q -f text -b 64 --out=json "$@" cycle; }
analyze -o usual.json
analyze --hist=full -o full.json
for profile in usual full; do
    "$REUSEDIST" mrc --hits=50%,99% $profile.json | sed 1,2d
    "$REUSEDIST" mrc --hits=50% --out=json $profile.json | grep '"exact"\|at_most'
done
