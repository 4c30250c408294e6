# Invalid caches are reported. Sizes without names are named in ascending order.
page() { "$REUSEDIST" report "$@" "$DATA/profiles/exact.json"; }
page --caches=2M,48K | grep -o '"levels_from":.*"profiles"'
for wrong in L1 =4K L1=x, 0 L1=4K,L1=8K abcdefghijklmnop=1K 1,2,3,4,5; do
    page --caches=$wrong >/dev/null || echo "exit $?"
done
