# convert --time-histogram makes the same histogram as the engine `time` makes from the trace itself.
$REUSEDIST generate zipf:blocks=1000,refs=50000 -o t.trace
$REUSEDIST analyze -q -e time:model=off --hist=full --out=csv t.trace >times.csv
$REUSEDIST convert --time-histogram times.csv --hist=full -o a.json
$REUSEDIST analyze -q -e time --hist=full --out=json -o b.json t.trace
$REUSEDIST compare a.json b.json | grep -E 'accuracy|miss ratio'
