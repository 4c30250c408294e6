# Blocks may have 2^62 or 2^63 bytes. In the first case, only caches of one block are compared, and in the second
# case none.
printf '0x0\n0xc000000000000000\n0x0\n' >far.txt
printf '0x0\n0x0\n0x0\n' >near.txt
for bytes in 4611686018427387904 9223372036854775808; do
    for name in far near; do "$REUSEDIST" analyze -f csv:addr=1 -b $bytes --out=json -o $name.json $name.txt; done
    "$REUSEDIST" compare far.json near.json | sed -n '4,/^$/p'
    "$REUSEDIST" report -o page.html far.json near.json
done
