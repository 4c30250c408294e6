# The report about a sample of the blocks shows the confidence band. It shows nothing about sizes below ten
# sampled blocks: no median, histogram rows, caches or working set.
"$REUSEDIST" generate zipf:blocks=200K,refs=400K,alpha=0.6 -o t.trace
"$REUSEDIST" analyze -e shards:rate=0.01 --ascii t.trace
"$REUSEDIST" analyze -e shards:rate=0.01 --hist=log --out=csv t.trace | sed -n '1,2p; $p'
"$REUSEDIST" analyze -e shards:rate=0.01 --hist=full --out=csv t.trace | sed -n '1p; $p'
"$REUSEDIST" analyze -e shards:rate=0.00002 --ascii t.trace | tail -2
"$REUSEDIST" analyze -e shards:rate=0.01 --out=json t.trace | grep -o '"rate": 0.01, "resolution": [0-9]*'

# The sample resolves the working set but not half of it: the misses at half the size are left out.
"$REUSEDIST" generate cycle:blocks=1500,refs=200K -o c.trace
"$REUSEDIST" analyze -e shards:rate=0.01 --ascii c.trace | grep -A1 'working'
"$REUSEDIST" analyze -e shards:rate=0.01 --report=page.html -o /dev/null c.trace
grep -o '"sizes": *\[[^]]*' page.html
