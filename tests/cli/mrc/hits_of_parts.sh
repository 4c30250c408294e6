# If no cache reaches a hit ratio for the recorded references, a cache may reach it in the whole run: first touches in
# the recording may be reuses in the run.
sed 's/"exact": true/"exact": false/; s/"skipped": 0/"skipped": 18000/' "$DATA/profiles/exact.json" >whole.json
sed 's/"kind": "exact", "bound": 0}/"kind": "bursts", "bound": 1, "band": [[0, 1]]}/' whole.json >bursts.json
sed 's/"kind": "exact"/"kind": "parts"/; s/"bound": null/"bound": 2000/' whole.json >bounded.json
for profile in bursts bounded; do
    "$REUSEDIST" mrc --hits=30%,90% $profile.json
    echo
done
