# Two profiles of object caches are compared at sizes that hold the largest object, in requests and bytes.
# A cache of 64 bytes misses 2 of 5 requests (30 of 70 bytes) of a, and 4 of 7 (100 of 140 bytes) of b.
printf 'id,size\na,10\nb,20\na,10\nb,20\na,10\n' >a.csv
printf 'id,size\na,10\nb,20\nc,30\nb,20\na,10\nd,40\na,10\n' >b.csv
printf 'id,size\na,10\nb,10\na,10\nb,10\na,10\n' >c.csv
for x in a b c; do $REUSEDIST analyze --weight=bytes --out=json -o $x.json $x.csv; done
$REUSEDIST analyze -q --out=json -o blocks.json a.csv
$REUSEDIST compare a.json b.json
$REUSEDIST compare b.json a.json | sed -n 4,7p
$REUSEDIST compare a.json c.json | sed -n 4,6p
$REUSEDIST compare a.json a.json | sed -n 4p
$REUSEDIST compare a.json b.json | grep -c 'L1\|L2\|block' || true
$REUSEDIST compare a.json b.json --fail-if='miss-ratio@1G>+1%' --fail-if='byte-miss-ratio@1G>+1%' >/dev/null || true
$REUSEDIST compare a.json b.json --fail-if='byte-miss-ratio@64<1%' | tail -1
$REUSEDIST compare blocks.json blocks.json --fail-if='byte-miss-ratio@1G>+1%' >/dev/null || true
$REUSEDIST compare a.json blocks.json || true
# CSV and JSON have sizes in bytes, and their keys say so.
$REUSEDIST compare --out=csv a.json b.json
$REUSEDIST compare --out=json a.json b.json | grep -o '"at_[a-z]*": [0-9]*\|"largest_[a-z]*": [0-9]*'
# The sum has the requests and bytes of both runs, each of which starts with empty caches.
$REUSEDIST merge a.json b.json -o sum.json
$REUSEDIST mrc --weight=bytes --sizes=64 --out=csv sum.json
$REUSEDIST merge a.json blocks.json || true
# Rules have no value for a cache that does not hold the largest object, and profiles that count different
# requests are not compared.
$REUSEDIST compare a.json b.json --fail-if='miss-ratio@39>10%' --fail-if='misses@30>1.1x' \
    --fail-if='byte-miss-ratio@10>+1%' >/dev/null || echo "$?"
$REUSEDIST compare a.json b.json --fail-if='miss-ratio@40<90%' | tail -1
printf 'id,size,op\na,10,get\na,10,set\na,10,get\n' >o.csv
for count in reads all; do $REUSEDIST analyze --weight=bytes --count=$count --out=json -o $count.json o.csv; done
$REUSEDIST compare reads.json all.json || echo "$?"
$REUSEDIST merge reads.json all.json || echo "$?"
