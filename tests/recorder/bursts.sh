# Bursts have exactly the requested length, and skipped references are counted.
total() { sed -n 's/.*"references": \([0-9]*\),$/\1/p' "$1"; }
skipped() { sed -n 's/.*"skipped": \([0-9]*\),$/\1/p' "$1"; }
env -i "$REUSEDIST" run -b addr --out=json -o all.json -- "$PROGRAMS/walk"
n=$(total all.json)
for burst in 1:1 3:1000 1000:3 1000:9000 100000:1 1:100000; do
    k=${burst%:*} m=${burst#*:}
    env -i "$REUSEDIST" run -b addr --burst=$burst --out=json -o t.json -- "$PROGRAMS/walk"
    whole=$((n / (k + m))) rest=$((n % (k + m)))
    expected=$((whole * k + (rest < k ? rest : k)))
    [ "$(total t.json)" -eq $expected ] && [ "$(skipped t.json)" -eq $((n - expected)) ] ||
        echo "$burst: $(total t.json) and $(skipped t.json) of $n, not $expected"
done
env -i "$REUSEDIST" run --burst=1000:9000 -o - -- "$PROGRAMS/walk" | sed -n 2p
"$REUSEDIST" record --burst=1000:9000 -o t.trace -- "$PROGRAMS/walk"
"$REUSEDIST" convert t.trace -o u.trace
"$REUSEDIST" analyze u.trace | sed -n 2p
# A sampled run is never called exact, and its bands contain the miss ratios of the whole run.
env -i "$REUSEDIST" run --out=json -o all.json -- "$PROGRAMS/walk"
env -i "$REUSEDIST" run --burst=500:500 --out=json -o t.json -- "$PROGRAMS/walk"
grep -o '"exact.*\|"error": {"kind": "bursts"' t.json
"$REUSEDIST" compare all.json t.json | grep -o '^[12]  [a-z]*.json: auto, [a-z]*\|^error bound.*'
"$REUSEDIST" mrc --sizes=1K --out=csv t.json | head -1
env -i "$REUSEDIST" run --burst=500:500 -o - -- "$PROGRAMS/walk" | grep -o '^  measured.*\|^  error  .*confidence\|^Cache sizes.*'
env -i "$REUSEDIST" analyze --out=json u.trace | grep -o '"exact.*\|"error".*'
