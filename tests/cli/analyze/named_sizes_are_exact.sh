# The miss ratios of caches that the user names are exact, even if their sizes lie inside usual bins. Here a cycle
# over 700 blocks fits into 48 KiB (768 blocks), and 1300 other blocks are used once. The profile has bins of 256
# blocks and can be merged with one that has the usual bins.
awk 'BEGIN { for (i = 0; i < 15300; i++) printf "0x%x\n", 64 * (i < 14000 ? i % 700 : i) }' >cycle
analyze() { "$REUSEDIST" analyze -q -f text -b 64 "$@" cycle; }
analyze --caches=L1=48K:12 | sed -n '/^Cache sizes/,/^$/p'
analyze --caches=L1=48K:12 --out=json -o named.json
analyze --out=json -o usual.json
grep -h '"binning"' named.json usual.json
"$REUSEDIST" mrc --sizes=48K --out=csv named.json
"$REUSEDIST" merge -o both.json named.json usual.json
grep '"binning"' both.json
# Bins that the user names stay as they are.
analyze --hist=log --caches=L1=48K:12 --out=json | grep '"binning"'
analyze --hist=loglinear:128 --caches=L1=48K:12 --out=json | grep '"binning"'
analyze --hist=loglinear:3 || echo "status $?"
# A size at which no bin of at least 32 blocks begins stays interpolated.
analyze --caches=L1=43776:4 | sed -n '/^Cache sizes/,/^$/p' | sed -n 2p
