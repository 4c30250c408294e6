# A profile with simulated caches keeps their machine, so compare states the time even without --machine.
for program in naive tiled; do
    "$REUSEDIST" analyze --simulate --machine=zen4 --out=json -o $program.json "$EXAMPLES/matmul-$program.trace.xz"
    "$REUSEDIST" analyze --out=json -o $program-plain.json "$EXAMPLES/matmul-$program.trace.xz"
done
first() { sed '/^1  /,$d'; }
"$REUSEDIST" compare naive.json tiled.json | first
# The time is the sum of the latencies of the simulated misses.
python3 - <<'END'
import json
for name in "naive", "tiled":
    part = json.load(open(name + ".json"))["hierarchy"]
    misses = [level["misses"] for level in part["levels"] if level["name"] != "L1I"]
    high = (misses[0] - misses[1]) * 14 + (misses[1] - misses[2]) * 50 + misses[2] * part["memory_ns"] * part["clock_ghz"]
    print(name, "%.3g ms" % (high / part["clock_ghz"] / 1e6))
END
# A profile without a simulation has no machine.
"$REUSEDIST" compare naive.json tiled-plain.json | first
