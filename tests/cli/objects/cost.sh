# The command finds the cheapest cache for the prices of memory and misses. Prices that make no sense, and
# prices without --weight=bytes, are refused.
printf 'key,size\napple,10\npear,20\napple,10\nplum,7\napple,10\npear,20\nplum,7\n' >requests.csv
cost() { $REUSEDIST mrc --weight=bytes --cost-per-gb="$1" --cost-per-miss="$2" "${@:3}" requests.csv; }
cost 1e8 1 --ascii
cost 1e8 1 --out=csv
cost 1e8 1 --out=json
cost 1e8 1 --out=csv --sizes=10,30
cost 1e8 1 --out=csv --sizes=30,10
cost 1e9 0.1
cost 0 1 --out=csv
$REUSEDIST analyze --weight=bytes --out=json -o p.json requests.csv
$REUSEDIST mrc --weight=bytes --cost-per-gb=1e8 --cost-per-miss=1 --out=csv p.json
for price in -1 nan inf x 0; do cost $price 0 || true; done
$REUSEDIST mrc --weight=bytes --cost-per-gb=1 requests.csv || true
$REUSEDIST mrc --weight=bytes --cost-per-miss=1 requests.csv || true
cost 1 1 --hits=50% || true
$REUSEDIST mrc --cost-per-gb=1 --cost-per-miss=1 requests.csv || true
