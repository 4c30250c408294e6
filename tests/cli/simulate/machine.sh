# The command simulates the caches of a machine. If the trace has instruction fetches, the first level has two
# caches.
printf '%s\n' 'I  1000,4' ' L 103e,8' 'I  1004,4' ' S 2000,8' >trace
"$REUSEDIST" simulate --machine=zen4 --out=csv trace | cut -d, -f1-9
"$REUSEDIST" simulate --machine=zen4 --kinds=LS --out=csv trace | cut -d, -f1-9
