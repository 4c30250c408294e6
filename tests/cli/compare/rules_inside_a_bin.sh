# A rule about a size inside a bin is decided if both ends of the bin give the same verdict. Otherwise it cannot be
# applied. In a cache of 48 KiB (768 blocks), a cycle over 700 blocks has only cold misses, and a cycle over 900
# blocks misses always.
cycle() { awk -v n="$1" 'BEGIN { for (i = 0; i < 15000; i++) printf "0x%x\n", 64 * (i < 14000 ? i % n : i) }'; }
analyze() { "$REUSEDIST" analyze -q -f text -b 64 --out=json "$@"; }
check() { "$REUSEDIST" compare --out=csv "$@" 2>&1 >/dev/null || echo "status $?"; }
cycle 700 >small
cycle 900 >large
for name in small large; do
    analyze -o $name.json $name
    analyze --caches=L1=48K:12 -o $name.named.json $name
done
check --fail-if='miss-ratio@48K>50%' --fail-if='misses@48K>+100' --fail-if='miss-ratio@48K>5%' large.json small.json
check --fail-if='misses@48K>1.05x' small.json small.named.json
echo "same verdict at both ends:"
"$REUSEDIST" compare --fail-if='miss-ratio@48K<5%' large.json small.json | grep passed
check --fail-if='miss-ratio@48K>5%' large.json small.json
echo "exact:"
"$REUSEDIST" compare --fail-if='miss-ratio@48K<5%' --fail-if='miss-ratio@48K>20%' large.named.json small.named.json | grep passed
check --fail-if='misses@48K>1.05x' small.named.json large.named.json
