# A profile knows whether its caches are counted in bytes, so it needs no --weight=bytes. Options that
# apply only to traces, and a --weight or --every that is not the profile's, are refused.
printf 'time,id,size\n0,a,10\n1,b,20\n2,a,10\n7200,a,10\n' >t.csv
$REUSEDIST analyze --weight=bytes --every=1h --out=json -o p.json t.csv
$REUSEDIST analyze -q --out=json -o ids.json t.csv
$REUSEDIST mrc --every=1h --sizes=32 --out=csv p.json
$REUSEDIST mrc --cost-per-gb=1e8 --cost-per-miss=1 --out=csv p.json
for option in --count=all --expiry=lazy --warmup=1 --weight=objects --every=2h; do
    $REUSEDIST mrc $option p.json || echo "$?"
done
for option in --weight=bytes --every=1h; do $REUSEDIST mrc $option ids.json || echo "$?"; done
$REUSEDIST mrc --cost-per-gb=1 --cost-per-miss=1 ids.json || echo "$?"
$REUSEDIST mrc --weight=objects --sizes=2 --out=csv ids.json
$REUSEDIST mrc -q --weight=objects --sizes=2 --out=csv t.csv
