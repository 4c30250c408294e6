# An estimate from a sample has a confidence band. Sizes that the sample does not resolve have no estimate.
$REUSEDIST generate zipf:blocks=4K,refs=40K -o t.trace
$REUSEDIST mrc -e shards:rate=0.1 -b addr --ways=4 --sizes=96,128,1024,4096 --out=csv t.trace | tee band.csv
awk -F, 'NR > 2 && !($4 < $3 && $3 < $5) { print "outside: " $0 }' band.csv
$REUSEDIST mrc -e shards:rate=0.1 -b addr --ways=4 --sizes=96,1024 t.trace
