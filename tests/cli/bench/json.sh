"$REUSEDIST" bench engines --refs=20000 --repeat=1 -e bk --json >out
python3 -c 'import json; [json.loads(line) for line in open("out")]'
"$REUSEDIST" bench engines --refs=20000 --repeat=1 -e bk -o results.jsonl >table
"$REUSEDIST" bench engines --refs=20000 --repeat=1 -e bk -o results.jsonl >table
# Results are appended, never overwritten.
[ "$(wc -l <results.jsonl)" -eq $((2 * $(wc -l <out))) ]
