# Too few samples are shown, but not summed up.
"$REUSEDIST" sampling -e shards:rate=0.5 -e shards:rate=0.001 zipf:blocks=10K,refs=20K
