# The result of a sample has a confidence band, which is the same in CSV and JSON. An exact result has no
# columns for it.
$REUSEDIST generate zipf:blocks=4K,refs=40K -o t.trace
$REUSEDIST mrc -e shards:rate=0.1 -b addr --sizes=128,1024,4096 --out=csv t.trace | tee band.csv
$REUSEDIST mrc -e shards:rate=0.1 -b addr --sizes=128,1024,4096 --out=json t.trace |
    sed -nE 's/.*"blocks": ([0-9]+), .*"miss_ratio": ([^,]+), .*"low": ([^,]+), "high": ([^}]+)\}.*/\1,,\2,\3,\4/p' >points
tail -n +2 band.csv | cmp - points
awk -F, 'NR > 1 && !($4 <= $3 && $3 <= $5) { print "outside: " $0 }' band.csv
$REUSEDIST mrc -b addr --sizes=128,1024,4096 --out=csv t.trace | head -1
# A size below ten sampled blocks has no miss ratio.
$REUSEDIST mrc -e shards:rate=0.1 -b addr --sizes=99,100 --out=csv t.trace | cut -c1-6
$REUSEDIST mrc -e shards:rate=0.1 -b addr --sizes=99 --out=json t.trace | grep -o '"resolution.*\|"blocks.*'
$REUSEDIST mrc -e shards:rate=0.1 -b addr --out=csv t.trace | sed -n 2p | cut -d, -f1
$REUSEDIST mrc -e shards:rate=0.1 -b addr --sizes=99 t.trace | sed -n 4p
$REUSEDIST mrc -e shards:rate=0.1 -b addr --hits=1%,60% --out=csv t.trace | cut -d, -f1,2
