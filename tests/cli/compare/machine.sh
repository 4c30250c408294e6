# The first sentence says which profile is better on the machine, and by how much.
for program in naive tiled; do
    "$REUSEDIST" analyze --out=json -o $program.json "$EXAMPLES/matmul-$program.trace.xz"
done
first() { sed '/^1  /,$d'; }
"$REUSEDIST" compare --machine=zen4 naive.json tiled.json | first
"$REUSEDIST" compare --machine=zen4 tiled.json naive.json | sed -n 1,3p
"$REUSEDIST" compare --machine=grace tiled.json tiled.json | sed -n 1,2p
# Without latencies, the misses decide.
printf '[mine]\ncaches = L1=32K:8,L2=1M:8\n' >mine.conf
"$REUSEDIST" compare --machine=mine.conf naive.json tiled.json | sed -n 1,2p
"$REUSEDIST" compare --machine=mine.conf naive.json naive.json | sed -n 1,2p
# The time is the sum of the latencies of all misses, which mrc estimates.
python3 - "$REUSEDIST" <<'END'
import csv, json, subprocess, sys
references = json.load(open("tiled.json"))["references"]
def misses(ways, size):
    out = subprocess.run([sys.argv[1], "mrc", f"--ways={ways}", f"--sizes={size}", "--out=csv", "tiled.json"],
                         capture_output=True, text=True, check=True).stdout
    return float(list(csv.DictReader(out.splitlines()))[0]["miss_ratio"]) * references
l1, l2, l3 = misses(8, "32K"), misses(8, "1M"), misses(16, "32M")
cycles = (l1 - l2) * 14 + (l2 - l3) * 50 + l3 * 73 * 5.7
print(f"between {cycles / 24 / 5.7e3:.3g} us and {cycles / 5.7e3:.3g} us")
END
"$REUSEDIST" compare --machine=zen4 --out=csv naive.json tiled.json || echo "status $?"
"$REUSEDIST" compare --machine=zen4 naive.json tiled.json naive.json || echo "status $?"
"$REUSEDIST" compare --machine=zen44 naive.json tiled.json || echo "status $?"
"$REUSEDIST" compare --machine=apple-m1 naive.json tiled.json || echo "status $?"
