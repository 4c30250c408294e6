# A sample of the objects has bands for both ratios, also through a profile. Sizes that it does not resolve have no
# ratios. Other engines, options that shards does not have for bytes, stretches of time and merging are refused.
python3 -c "
import random
rng = random.Random(1)
print('time,id,size')
for i in range(20000):
    x = int(3000 ** rng.random())
    print(f'{i // 10},{x},{100 + x * 7919 % 900}')" >t.csv
$REUSEDIST mrc --weight=bytes -e shards:rate=0.25,seed=3 --sizes=1K,256K,1M --out=csv t.csv >s.csv
$REUSEDIST analyze --weight=bytes -e shards:rate=0.25,seed=3 --out=json -o p.json t.csv
python3 "$DATA/../../scripts/check_profile.py" p.json
$REUSEDIST mrc --sizes=256K,1M --out=csv p.json | sed 1d >again.csv
$REUSEDIST mrc --weight=bytes --sizes=256K,1M --out=csv t.csv >exact.csv
python3 - <<'P'
head, *rows = [line.rstrip("\n").split(",") for line in open("s.csv")]
assert head == "bytes,miss_ratio,byte_miss_ratio,low,high,byte_low,byte_high".split(","), head
assert rows[0] == ["1024"] + [""] * 6, rows[0]
again = [line.rstrip("\n").split(",") for line in open("again.csv")]
assert again == rows[1:], (again, rows)
exact = [list(map(float, line.split(","))) for line in open("exact.csv").readlines()[1:]]
for row, (size, miss, byte_miss) in zip(rows[1:], exact):
    _, guess, byte_guess, low, high, byte_low, byte_high = map(float, row)
    assert low <= miss <= high and low <= guess <= high and high - low < 0.2, row
    assert byte_low <= byte_miss <= byte_high and byte_low <= byte_guess <= byte_high, row
P
$REUSEDIST mrc --weight=bytes -e shards:rate=1 --sizes=64K --out=csv t.csv | cut -d, -f1-3
$REUSEDIST mrc --weight=bytes --sizes=64K --out=csv t.csv
$REUSEDIST mrc --weight=bytes -e shards:samples=10 t.csv || true
$REUSEDIST mrc --weight=bytes -e shards:rate=2 t.csv || true
$REUSEDIST mrc --weight=bytes -e shards:speed=2 t.csv || true
$REUSEDIST mrc --weight=bytes -e shards --every=1m t.csv || true
$REUSEDIST mrc --weight=bytes -e stream t.csv || true
$REUSEDIST merge p.json p.json || true
$REUSEDIST analyze --weight=bytes -e shards:rate=0.25,seed=3 t.csv | sed -n 2,5p
# A sample without objects has no result.
printf 'id,size\na,10\na,10\n' >small.csv
$REUSEDIST mrc -q -e shards:rate=0.0001 small.csv || true
$REUSEDIST mrc --weight=bytes -e shards:rate=0.0001 small.csv || true
