# With --every, the misses in each stretch of time are those of simulated LRU caches that stay warm between stretches.
# The oracle simulates every cache size on random traces; times have gaps and go backwards.
cat >oracle.py <<'P'
import random, subprocess, sys
from collections import OrderedDict
tool = sys.argv[1]
for seed in range(int(sys.argv[2])):
    rng = random.Random(seed)
    size = {i: rng.randint(1, 9) for i in range(8)}
    now, rows = rng.randint(0, 50), []
    for _ in range(rng.randint(1, 120)):
        now += rng.choice([0, 0, 1, 1, 2, 25])
        rows.append((now if rng.random() < 0.9 else now // 2, rng.randrange(8)))
    every, warmup, sizes = rng.choice([1, 7, 10, 60]), rng.choice([0, 0, 20]), [9, 16, 21, 32, 64]
    with open("t.csv", "w") as f:
        f.write("time,id,size\n" + "".join(f"{t},{i},{size[i]}\n" for t, i in rows))
    expected = {}
    for limit in sizes:
        cache, clock = OrderedDict(), 0
        for n, (t, i) in enumerate(rows):
            clock = max(clock, t)
            hit = i in cache
            cache[i] = size[i]
            cache.move_to_end(i)
            while sum(cache.values()) > limit:
                cache.popitem(last=False)
            if n >= warmup:
                begin = clock // every * every
                row = expected.setdefault((begin, limit), [0, 0, 0, 0])
                row[0] += 1
                row[1] += size[i]
                row[2] += not hit
                row[3] += 0 if hit else size[i]
    out = subprocess.run([tool, "mrc", "--weight=bytes", f"--every={every}", f"--warmup={warmup}", "--out=csv",
                          "--sizes=" + ",".join(map(str, sizes)), "t.csv"], capture_output=True, text=True, check=True)
    lines = out.stdout.splitlines()
    assert lines[0] == "from,to,requests,requested_bytes,cold,bytes,miss_ratio,byte_miss_ratio", lines[0]
    got = {}
    for line in lines[1:]:
        start, end, requests, asked, _, limit, miss, missed = line.split(",")
        assert int(end) == int(start) + every
        got[int(start), int(limit)] = (int(requests), int(asked), float(miss), float(missed))
    want = {k: (v[0], v[1], v[2] / v[0], v[3] / v[1]) for k, v in expected.items()}
    assert got.keys() == want.keys(), (seed, sorted(got), sorted(want))
    for k, v in want.items():
        assert all(abs(a - b) < 1e-9 for a, b in zip(v, got[k])), (seed, k, v, got[k])
P
python3 oracle.py "$REUSEDIST" 12
printf 'time,id,size\n0,a,10\n1,b,20\n1.5,a,10\n7200,a,10\n7201,b,20\n7202,c,5\n3,a,10\n' >t.csv
$REUSEDIST mrc --weight=bytes --every=1h --sizes=30,64 --out=csv t.csv
$REUSEDIST mrc --weight=bytes --every=0.5s --sizes=32 --out=csv t.csv
$REUSEDIST mrc --weight=bytes --every=1h --sizes=30,64 --out=json t.csv
$REUSEDIST analyze --weight=bytes --every=60m --out=json -o p.json t.csv
python3 "$DATA/../../scripts/check_profile.py" p.json
$REUSEDIST mrc --ascii p.json | tail -n +18
$REUSEDIST mrc --weight=bytes --every=3600 --sizes=32 --out=csv p.json
$REUSEDIST merge p.json p.json -o sum.json
grep -c stretches p.json sum.json || true
for every in 0 -1 1w h 1e40 0.0000000001; do $REUSEDIST mrc --weight=bytes --every=$every t.csv || true; done
$REUSEDIST mrc --every=1h t.csv || true
$REUSEDIST mrc --weight=bytes --every=1d p.json || true
$REUSEDIST mrc --weight=bytes --every=1d sum.json || true
printf 'id,size\n1,2\n' >c.csv
$REUSEDIST mrc --weight=bytes --every=1h c.csv || true
