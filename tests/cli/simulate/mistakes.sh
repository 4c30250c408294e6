# A wrong description of caches is refused, the message names the mistake, and nothing is written.
echo ' L 40,8' >trace
for caches in L1=32K:7:line=48 L1=32K:7 L1=1K:17 L1=0 L1=32K:0 L1=16777216T L1=32K:polcy=lru 32K:8 \
    L1=64K,L2=32K L1=32K,L1=64K L1=100 L1=32K:8:policy=lur L1=32K:fill=exclusive; do
    "$REUSEDIST" simulate --caches=$caches -o out trace || echo "status $?"
done
"$REUSEDIST" simulate -o out trace || echo "status $?"
"$REUSEDIST" simulate --caches=L1=32K:8 -o trace trace || echo "status $?"
"$REUSEDIST" simulate --caches=L1=32K:8 missing -o out || echo "status $?"
ls
