# `simulate` counts conflict misses apart from capacity misses. The trace has eight passes over four blocks that all
# belong to one set of a small cache, with a store to each block in the last pass.
awk 'BEGIN { for (pass = 0; pass < 8; pass++) for (i = 0; i < 4; i++)
    printf " %s %x,8\n", pass == 7 ? "S" : "L", i * 1024 }' >trace
"$REUSEDIST" simulate --caches=L1=1K:2,L2=4K:4 trace
"$REUSEDIST" simulate --caches=L1=1K:2,L2=4K:4 --out=csv trace
"$REUSEDIST" simulate --caches=L1=1K --out=csv trace
"$REUSEDIST" simulate --caches=L1=1K:2:policy=rrip:prefetch=next,L2=4K:4:fill=exclusive --ascii trace
"$REUSEDIST" simulate --caches=L1=1K:2,L2=4K:4 --no-causes --out=csv trace
"$REUSEDIST" simulate --caches=L1=1K:2,L2=4K:4 --out=json -o result.json trace
cat result.json
