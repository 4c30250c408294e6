# The estimate for caches with sets is the same from a trace and from a profile of this trace. The trace reads
# 1024 blocks in a fixed scattered order, each of them twice in a row, and repeats this ten times.
awk 'BEGIN {
    for (pass = 0; pass < 10; pass++)
        for (k = 0; k < 1024; k++) printf " L %x,4\n L %x,4\n", (k * 613 % 1024) * 64, (k * 613 % 1024) * 64
}' >trace
digits() { sed -E 's/(0\.[0-9]{9})[0-9]+/\1/g'; }
"$REUSEDIST" mrc --ways=4 trace
"$REUSEDIST" mrc --ways=4 --sizes=32K,48K,64K --out=csv trace | digits
"$REUSEDIST" analyze --hist=full --out=json -o profile.json trace
"$REUSEDIST" mrc --ways=4 --sizes=32K,48K,64K --out=csv profile.json | digits
# By definition, this is the probability that 4 or more of 1023 other blocks are in the same one of 256 sets.
python3 - <<'END'
from fractions import Fraction as F
from math import comb
p = F(1, 256)
miss = 1 - sum(comb(1023, k) * p**k * (1 - p)**(1023 - k) for k in range(4))
print(f"{float((9 * miss + 1) / 20):.9f}")
END
"$REUSEDIST" mrc --ways=4 --sizes=64K --out=json trace | digits
"$REUSEDIST" mrc --ways=4 --sizes=1024 -b addr --out=csv trace | digits
"$REUSEDIST" mrc --ways=1 --sizes=64K --out=csv trace | digits
"$REUSEDIST" mrc --ways=1 --sizes=64K --out=csv -q trace | digits
"$REUSEDIST" mrc --ways=8 --bound=256 --out=csv trace | digits
"$REUSEDIST" mrc --ways=7 --sizes=64K trace || echo "status $?"
"$REUSEDIST" mrc --ways=8 --sizes=256 trace || echo "status $?"
"$REUSEDIST" mrc --ways=0 trace || echo "status $?"
"$REUSEDIST" mrc --ways=8 --hits=50% trace || echo "status $?"
"$REUSEDIST" mrc --ways=8 --sizes=8K --bound=256 trace || echo "status $?"
