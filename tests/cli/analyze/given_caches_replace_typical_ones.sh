# If the user gives caches, the report names only these. If their misses are beyond the bound, the report gives
# this as the reason why the cost is unknown.
trace=$EXAMPLES/gzip.trace.xz
"$REUSEDIST" analyze --caches=L1=48K:12,L2=2M:16 "$trace" | sed -n '/^Cache sizes/,/^$/p'
"$REUSEDIST" analyze --bound=100 --caches=L1=48K:12:latency=5 "$trace" | tail -3
