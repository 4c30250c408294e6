# Profiles of object caches with different --warmup or --expiry get a warning, and rules about counts do not apply if
# the warm-ups differ.
for ((i = 0; i < 300; i++)); do printf '%d,%d,%d,%d\n' "$i" $((i * i % 37)) $((i * i % 37 + 10)) $((i % 9)); done >requests.csv
analyze() { "$REUSEDIST" analyze -q --weight=bytes -f csv:time=1,id=2,size=3,ttl=4 --out=json -o "$@" requests.csv; }
analyze all.json
analyze warm.json --warmup=100
analyze lazy.json --expiry=lazy
check() { "$REUSEDIST" compare --out=csv "$@" 2>&1 >/dev/null || echo "exit status $?"; }
check --fail-if='misses@1K>+100' --fail-if='miss-ratio@1K>+99%' all.json warm.json
check --fail-if='miss-ratio@1K>+99%' all.json lazy.json
check warm.json warm.json
