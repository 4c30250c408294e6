# A sampled profile has a confidence band, also at the sizes of the caches.
"$REUSEDIST" generate -q zipf:blocks=20000,refs=200000 -o t.trace
"$REUSEDIST" analyze -q -e shards:rate=0.1 -b 64 --out=json -o p.json t.trace
"$REUSEDIST" report --caches=64K p.json |
    grep -c '"level":0,"blocks":1024,"miss":[0-9.]*,"interpolated":false,"low":[0-9.]*,"high":[0-9]'
