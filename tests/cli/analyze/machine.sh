# For caches with ways, the report has an estimate of the miss ratio beside that of a fully associative cache. For a
# machine, the report also has the time that the misses cost.
trace=$EXAMPLES/gzip.trace.xz
table() { sed -n '/^Caches/,$p'; }
"$REUSEDIST" analyze --machine=zen4 "$trace" | table
"$REUSEDIST" analyze --machine=grace "$trace" | tail -3
"$REUSEDIST" analyze --caches=L1=48K:12,L2=1M:1 "$trace" | table
# The estimate is the same as that of mrc.
"$REUSEDIST" mrc --ways=12 --sizes=48K --out=csv "$trace" | cut -c1-24
# If caches do not suit the profile, the rest of the report stays complete.
"$REUSEDIST" analyze --caches=L1=48K:7 "$trace" | tail -3
"$REUSEDIST" analyze --machine=apple-m1 "$trace" | tail -3
"$REUSEDIST" analyze --machine=zen4 --out=csv "$trace" | head -2
"$REUSEDIST" analyze --machine=zen4 --caches=L1=48K:12 "$trace" || echo "status $?"
"$REUSEDIST" analyze --machine=zen44 "$trace" || echo "status $?"
"$REUSEDIST" analyze --caches=L1=48K:12,L2=32K:8 "$trace" || echo "status $?"
"$REUSEDIST" analyze --caches=L1=48K "$trace" || echo "status $?"
