# Tests that a run with too few samples is shown, but left out of the sums.
"$REUSEDIST" sampling -e shards:rate=0.5 -e shards:rate=0.001 zipf:blocks=10K,refs=20K
