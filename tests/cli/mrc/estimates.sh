# The results of approximate engines, which have no bands, say that they are estimates.
$REUSEDIST generate cycle:blocks=300,refs=9000 -o t.trace
for engine in absolute:b=100,c=10 scale:error=0.1 hprda time; do
    echo "== $engine"
    $REUSEDIST mrc -e $engine --sizes=16K t.trace | sed -n 2,4p
done
$REUSEDIST mrc -e absolute:b=100,c=10 --ways=4 --sizes=16K t.trace | sed -n 2,3p
$REUSEDIST mrc -e absolute:b=100,c=10 --sizes=16K --out=csv t.trace | head -1
$REUSEDIST mrc -e absolute:b=100,c=10 --hits=50% t.trace | head -1
$REUSEDIST mrc -q -e absolute:b=100,c=10 --hits=50% t.trace | head -1
for engine in auto shards:rate=0.5; do
    $REUSEDIST mrc -e $engine --sizes=16K t.trace | grep -c estimates || true
    $REUSEDIST mrc -e $engine --sizes=16K --out=csv t.trace | head -1
done
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
$REUSEDIST predict --train 1000.json --train 3000.json --size=9005 --cache=4 | grep estimates
