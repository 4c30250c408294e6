# One report names one set of caches: the given ones. If a bound hides their misses, that is the reason for the
# unknown cost.
trace=$EXAMPLES/gzip.trace.xz
"$REUSEDIST" analyze --caches=L1=48K:12,L2=2M:16 "$trace" | sed -n '/^Cache sizes/,/^$/p'
"$REUSEDIST" analyze --bound=100 --caches=L1=48K:12:latency=5 "$trace" | tail -2
