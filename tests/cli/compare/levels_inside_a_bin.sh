# The sentence about a cache whose size lies inside a bin says "about". Profiles with the same interpolated ratio are
# not said to miss equally often in it: a cycle over 700 blocks fits into 48 KiB, one over 900 does not.
cycle() { awk -v n="$1" 'BEGIN { for (i = 0; i < 15000; i++) printf "0x%x\n", 64 * (i < 14000 ? i % n : i) }'; }
for n in 700 900; do
    cycle $n | "$REUSEDIST" analyze -q -f text -b 64 --out=json -o $n.json -
done
"$REUSEDIST" report --caches=L1=48K 700.json 900.json | grep -o '"change":\[[^]]*\]'
"$REUSEDIST" corun --sizes=48K,64K 700.json 900.json | sed 1,4d
"$REUSEDIST" corun --sizes=48K,64K --out=json 700.json 900.json | grep -o '"interpolated": [a-z]*'
