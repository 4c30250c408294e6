trace() { $REUSEDIST generate zipf:blocks=500,refs=5000; }
trace | $REUSEDIST analyze -q -e time:model=off --out=json -o times.json -
trace | $REUSEDIST analyze -q -e scale --out=json -o distances.json -
$REUSEDIST merge times.json times.json -o twice.json
$REUSEDIST merge times.json distances.json
