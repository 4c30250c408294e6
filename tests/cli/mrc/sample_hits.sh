# The size for a hit ratio has a range if it comes from a sample, the same one in text, CSV and JSON, and the
# range contains the exact size. An end that the sample cannot tell is empty.
"$REUSEDIST" generate zipf:blocks=200K,refs=400K,alpha=0.6 -o t.trace
for out in text csv json; do
    "$REUSEDIST" mrc -e shards:rate=0.05 --hits=1%,20%,40%,90% --out=$out t.trace
done
"$REUSEDIST" mrc -e shards:rate=0.05 --hits=40% -b addr t.trace | tail -2
"$REUSEDIST" mrc --hits=20%,40% --out=csv t.trace
