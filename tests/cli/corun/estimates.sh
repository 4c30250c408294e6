# corun warns about profiles that are estimates or do not have all references of the program.
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
sed 's/"skipped": 0/"skipped": null/; s/"exact": true/"exact": false/; s/"kind": "exact"/"kind": "parts"/' 3000.json >parts.json
sed 's/"partial": false/"partial": true/' 3000.json >partial.json
sed 's/"exact": true/"exact": false/; s/"kind": "exact"/"kind": "statistical"/' 3000.json >estimate.json
sed 's/"skipped": 0/"skipped": 324045/; s/"exact": true/"exact": false/; s/"kind": "exact"/"kind": "parts"/' 3000.json >bursts.json
for second in 3000 parts partial estimate bursts; do
    "$REUSEDIST" corun --sizes=1500 --out=csv 1000.json $second.json | cut -d, -f7 | tail -1
done
"$REUSEDIST" corun --rate=1,1 --sizes=1500 --out=csv 1000.json parts.json | cut -d, -f7 | tail -1
