# A log that was saved with --save, or compressed, gives the same result.
cp "$EXAMPLES/conversations.jsonl" log
log=log
"$REUSEDIST" kv --save=saved --out=csv -o a.csv "$log"
"$REUSEDIST" kv --out=csv -o b.csv saved
cmp a.csv b.csv
gzip -c "$log" >log.gz
"$REUSEDIST" kv --out=csv log.gz | cmp a.csv -
"$REUSEDIST" kv --out=csv - <"$log" | cmp a.csv -
[ "$(wc -c <saved)" -lt "$(($(wc -c <"$log") / 2))" ]
head -c 5000 saved >cut
"$REUSEDIST" kv cut || echo "status $?"
"$REUSEDIST" kv --save="$log" "$log" || echo "status $?"
# A saved log has no lines, so a message names the request.
"$REUSEDIST" kv --outputs=cache saved || echo "status $?"
