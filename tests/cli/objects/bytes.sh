# Sizes of objects decide which requests a cache hits. A cache of 29 bytes holds apple and plum; a cache of 30
# bytes holds apple and pear.
printf 'key,size\napple,10\npear,20\napple,10\nplum,7\napple,10\n' >requests.csv
$REUSEDIST mrc --weight=bytes --sizes=10,29,30,40 --out=csv requests.csv
$REUSEDIST mrc --weight=bytes --sizes=10,30 --out=json requests.csv
$REUSEDIST mrc --weight=bytes --sizes=10,30 requests.csv
$REUSEDIST mrc --weight=bytes --hits=40% --out=csv requests.csv
$REUSEDIST analyze --weight=bytes requests.csv
# A warm-up that is longer than the trace leaves nothing to count. Every form of the result says so.
for out in text csv json; do $REUSEDIST mrc --weight=bytes --warmup=9 --out=$out requests.csv; done
$REUSEDIST mrc --weight=bytes --warmup=9 --hits=50% requests.csv
$REUSEDIST mrc --weight=bytes --warmup=9 --quiet --out=csv requests.csv
# A cache below the largest object is marked.
printf 'time,id,size\n1,1,5\n2,1,5\n3,2,9\n' >small.csv
$REUSEDIST mrc --weight=bytes --hits=0%,30% small.csv
$REUSEDIST mrc --weight=bytes --hits=30% --out=json small.csv
$REUSEDIST mrc --weight=bytes --every=2s --sizes=5,9 --ascii small.csv | tail -n 10
