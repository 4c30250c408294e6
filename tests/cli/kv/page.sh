# The page has the data, and characters of names that are special in HTML are escaped.
cp "$EXAMPLES/conversations.jsonl" '<b>&.jsonl'
"$REUSEDIST" kv --report=page.html -o /dev/null '<b>&.jsonl'
grep -c 'u003cb\\u003e\\u0026.jsonl' page.html
grep -c '<b>&' page.html || true
grep -o '"schema": "reusedist.kv/1"' page.html
