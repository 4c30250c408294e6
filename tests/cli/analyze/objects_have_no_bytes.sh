# Questions in bytes about object ids are refused with the reason, and ignored sizes are reported.
seq 1 1000 >ids.txt
awk '{ print $1 "," 4096 * $1 }' ids.txt >sizes.csv
awk '{ printf "{\"hash_ids\": [%d, %d]}\n", $1, $1 + 1 }' ids.txt >log.jsonl
awk '{ printf "0x%x\n", 64 * $1 }' ids.txt >addresses.txt
"$REUSEDIST" analyze -b 64 ids.txt || echo "status $?"
"$REUSEDIST" analyze -b 64 -f csv:id=1,size=2 sizes.csv || echo "status $?"
"$REUSEDIST" analyze -b 512 log.jsonl || echo "status $?"
"$REUSEDIST" mrc --sizes=10,1M ids.txt || echo "status $?"
"$REUSEDIST" mrc --sizes=10,1000 --out=csv -f csv:id=1,size=2 sizes.csv
"$REUSEDIST" mrc --sizes=10,1000 --out=csv -q -f csv:id=1,size=2 sizes.csv
"$REUSEDIST" analyze --out=json -o ids.json ids.txt
"$REUSEDIST" compare --fail-if='miss-ratio@1K>5%' ids.json ids.json >/dev/null || echo "status $?"
# Hexadecimal numbers, and numbers that the user calls addresses, can be divided into blocks.
"$REUSEDIST" analyze -b 128 --out=json addresses.txt | grep '"blocks"'
"$REUSEDIST" analyze -b 128 --out=json -f csv:addr=1 ids.txt | grep '"blocks"'
