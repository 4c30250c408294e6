trace() { $REUSEDIST generate "zipf:blocks=500,refs=$1"; }
trace 5000 | $REUSEDIST analyze -q --out=json -o exact.json -
trace 5000 | $REUSEDIST analyze -q -e time --out=json -o time.json -
trace 4000 | $REUSEDIST analyze -q -e scale --out=json -o shorter.json -
for p in time shorter; do
    $REUSEDIST compare exact.json $p.json | grep 'error bound'
done
