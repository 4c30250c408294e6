# scripts/check_profile.py, which does not use the library, accepts the profiles that the command writes, with
# every kind of bins.
awk 'BEGIN { for (i = 0; i < 20000; i++) print (i * i) % 9973, i % 700 }' | tr ' ' '\n' >ids
for hist in full log loglinear linear:100 reference:50; do
    "$REUSEDIST" analyze -f text --hist=$hist --out=json -o $hist.json ids
done
"$REUSEDIST" analyze -f text --bound=500 --out=json -o bounded.json ids
"$REUSEDIST" analyze -f text -e khw --out=json -o khw.json ids
"$REUSEDIST" analyze -f text -e null --out=json -o null.json ids
"$REUSEDIST" merge full.json log.json -o merged.json
"$DATA"/../../scripts/check_profile.py ./*.json
