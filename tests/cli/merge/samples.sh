# The merge of a sample with other profiles has the resolution of the lowest sampling rate, and a confidence band.
$REUSEDIST generate zipf:blocks=5K,refs=100K -o t
$REUSEDIST analyze -q --out=json -o exact t
for rate in 0.1 0.05; do $REUSEDIST analyze -q -e shards:rate=$rate --out=json -o $rate t; done
$REUSEDIST merge 0.1 0.05 -o samples
$REUSEDIST merge exact 0.05 -o mixed
for profile in 0.05 samples mixed; do
    echo "$profile: $(sed -n 's/.*"rate": *\([0-9.]*\).*/rate \1/p' $profile)"
    $REUSEDIST mrc --sizes=1K,12736,12800,128K --out=csv $profile
done
# The exact miss ratio is in the band.
for profile in samples mixed; do
    $REUSEDIST mrc --sizes=128K --out=csv exact | tail -1 |
        paste -d, - <($REUSEDIST mrc --sizes=128K --out=csv $profile | tail -1) |
        awk -F, '{print ($7 <= $3 && $3 <= $8 ? "inside" : "outside: " $0)}'
done
# Bands of bursts are combined as well. If one profile has no band, the sum has none.
bursts() { # BAND
    sed 's/"error": {.*}/"error": {"kind": "bursts", "bound": 0.5, "band": '"$1"'}/; s/"exact": true/"exact": false/' \
        "$DATA/profiles/exact.json"
}
bursts '[[1, 1], [0.4, 0.8]]' >first
bursts '[[0.6, 1], [0.2, 0.6], [0.1, 0.2]]' >second
band() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["error"].get("band"))' $1; }
$REUSEDIST merge first second -o bursts
band bursts
$REUSEDIST merge first "$DATA/profiles/exact.json" -o bursts
band bursts
