# Impossible values of a request are refused, and the message names line and column. -v counts unusual
# requests.
try() {
    printf 'time,id,size,op,ttl\n%s\n' "$1" >t.csv
    $REUSEDIST mrc --weight=bytes --out=csv t.csv || true
}
try '1,1,-5,get,0'
try '1,1,9223372036854775808,get,0'
try '1,1,99999999999999999999,get,0'
try '1,1,many,get,0'
try '1,1,5,frobnicate,0'
try '-1,1,5,get,0'
try 'noon,1,5,get,0'
try '1585706405123,1,5,get,0'
try '1,1,5,get,-1'
try '1,1,5,get,2.5'
try '1,1'
try "$(printf '1,1,9223372036854775807,get,0\n1,2,1,get,0')"
printf 'id,size,count\n1,5,0\n1,5,4294967297\n' >count.csv
$REUSEDIST mrc --weight=bytes -f csv:count=count count.csv || true
printf '{"id": 1, "size": 5, "count": 9223372036854775807}\n' >count.jsonl
$REUSEDIST mrc --weight=bytes -f jsonl:id=id,size=size,count=count count.jsonl || true
$REUSEDIST mrc --weight=bytes -f csv:size=none t.csv || true
$REUSEDIST mrc --weight=bytes -f csv:time=clock t.csv || true
printf ' L 40,8\n' >t.lackey
$REUSEDIST mrc --weight=bytes t.lackey || true
$REUSEDIST mrc --weight=bytes -e stack t.csv || true
$REUSEDIST mrc --expiry=lazy t.csv || true
$REUSEDIST mrc --weight=byte t.csv || true
printf 'id,size\n1,5\n' >ok.csv
$REUSEDIST mrc --weight=bytes --ways=2 ok.csv || true
$REUSEDIST analyze --weight=bytes --out=json -o ok.json ok.csv
$REUSEDIST report --machine=zen4 ok.json -o page.html || true
$REUSEDIST report --caches=L1=32K ok.json -o page.html || true
$REUSEDIST analyze --out=json -o blocks.json t.lackey
$REUSEDIST report ok.json blocks.json -o page.html || true
$REUSEDIST report blocks.json ok.json -o page.html || true
printf 'time,id,size,op,ttl\n5,1,0,set,0\n4,1,3,get,9\n6.25,1,3,delete,0\n6.5,1,3,gat,99999999999\n' >t.csv
$REUSEDIST mrc -v --weight=bytes --out=csv t.csv 2>&1 | grep -v ' memory'
# Lifetimes without times have no effect, and a warning says so.
printf 'id,size,op,ttl\n1,5,set,1\n1,5,get,0\n' >t.csv
$REUSEDIST mrc --weight=bytes --out=csv t.csv
# The default engine may be named. Other options that have no meaning for bytes are refused.
$REUSEDIST mrc --weight=bytes -e auto --sizes=5 --out=csv ok.csv
for option in --simulate --machine=zen4 --caches=L1=32K:8; do
    $REUSEDIST analyze --weight=bytes $option ok.csv || true
done
# A profile has no requests, so options that choose the requests that count are refused.
for option in --count=all --expiry=lazy --warmup=1; do $REUSEDIST mrc --weight=bytes $option ok.json || true; done
# Times may be the largest numbers.
printf 'time,id,size\n18446744073709551614,1,5\n18446744073709551615,1,5\n' >t.csv
$REUSEDIST mrc --weight=bytes -f csv:time-unit=ns --every=1s --out=csv --sizes=5 t.csv
$REUSEDIST mrc --weight=bytes -f csv:time-unit=ns --out=csv --sizes=5 t.csv
