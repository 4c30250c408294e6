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
# Operations and lifetimes need --weight=bytes, too, and --weight=bytes needs sizes.
printf 'id,op\na,get\na,delete\na,get\n' >deletes.csv
printf 'time,id,ttl\n10,a,1\n20,a,1\n' >lifetimes.csv
printf 'time,id,op,ttl,size\n10,a,set,1,5\n20,a,get,1,5\n' >all.csv
"$REUSEDIST" mrc --sizes=1 --out=csv deletes.csv
"$REUSEDIST" mrc --sizes=1 --out=csv lifetimes.csv
"$REUSEDIST" mrc --sizes=1 --out=csv all.csv
"$REUSEDIST" mrc --sizes=10 --out=csv --weight=bytes all.csv
"$REUSEDIST" mrc -q --sizes=1 --out=csv deletes.csv
