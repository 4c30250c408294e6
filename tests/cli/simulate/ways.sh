# --ways=all counts the misses for every number of ways at once. With one set, the misses follow from the
# reuse distances.
awk 'BEGIN { for (pass = 0; pass < 3; pass++) for (i = 0; i < 6; i++) printf " L %x,8\n", i * 64 * (1 + pass % 2) }' >trace
"$REUSEDIST" simulate --sets=1,2 --ways=all --out=csv trace
"$REUSEDIST" simulate --sets=2,3 --ways=all -t 3 trace
"$REUSEDIST" simulate --sets=2 --ways=all --out=json trace
"$REUSEDIST" simulate --caches=L1=256:2 --out=csv trace
"$REUSEDIST" simulate --sets=2 trace || echo "status $?"
"$REUSEDIST" simulate --ways=all trace || echo "status $?"
"$REUSEDIST" simulate --sets=2 --ways=4 trace || echo "status $?"
"$REUSEDIST" simulate --sets=0 --ways=all trace || echo "status $?"
"$REUSEDIST" simulate --sets=2,2 --ways=all trace || echo "status $?"
"$REUSEDIST" simulate --sets=2 --ways=all --machine=zen4 trace || echo "status $?"
"$REUSEDIST" simulate --machine=zen44 trace || echo "status $?"
