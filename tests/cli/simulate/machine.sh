# The command simulates the caches of a machine. If the trace has instruction fetches, the first level has two
# caches.
printf '%s\n' 'I  1000,4' ' L 103e,8' 'I  1004,4' ' S 2000,8' >trace
"$REUSEDIST" simulate --machine=zen4 --out=csv trace | cut -d, -f1-9
"$REUSEDIST" simulate --machine=zen4 --kinds=LS --out=csv trace | cut -d, -f1-9
# A note says that blocks have another size than the machine's lines, unless -q is given.
"$REUSEDIST" simulate --machine=zen4 -b 128 --out=csv trace | cut -d, -f1-3 | tail -1
"$REUSEDIST" simulate -q --machine=zen4 -b 128 --out=csv trace | cut -d, -f1-3 | tail -1
"$REUSEDIST" simulate --caches=L1=32K:8 -b 128 --out=csv trace | cut -d, -f1-3 | tail -1
