# Tests that every suite writes lines of JSON.
"$REUSEDIST" figure7 --refs=200000 -r 1 -e scale --json >lines
"$REUSEDIST" hprda -r 1 --json zipf:blocks=50,refs=3000 >>lines
"$REUSEDIST" carr-nicol -r 1 --refs=3000 --json zipf:blocks=50,refs=3000 >>lines
"$REUSEDIST" sampling -e shards:rate=0.5 --json zipf:blocks=10K,refs=20K >>lines
python3 -c 'import json; print(*sorted({json.loads(line)["suite"] for line in open("lines")}))'
