# The report about a trace without a working set names the caches with most of the achievable hits. First
# touches, 8.8 % here, miss in every cache.
"$REUSEDIST" generate zipf:blocks=4K,refs=40K -o t.trace
"$REUSEDIST" analyze --ascii t.trace | tail -3
