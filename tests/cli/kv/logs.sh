# Invalid logs are refused, and the message names the line.
refuse() {
    "$REUSEDIST" kv "$@" - && echo "not refused: $*"
    true
}
good='{"hash_ids": [1, 2], "input_length": 600}'
printf '%s\n' "$good" '{"hash_ids": [3, 2], "input_length": 600}' | refuse
printf '%s\n' "$good" '{"hash_ids": [3, 4, 3], "input_length": 1500}' | refuse
printf '%s\n' "$good" '{"hash_ids": [3], "input_length": 600' | refuse
printf '%s\n' "$good" '{"hash_ids": [3], "input_length": 5, "timestamp": 1}' | refuse
printf '%s\n' '{"hash_ids": [3], "input_length": 5, "timestamp": -1}' | refuse
printf '%s\n' '{"hash_ids": [3, 4, 5], "input_length": 5}' | refuse
printf '%s\n' '{"blocks": [3]}' | refuse
printf '' | refuse
printf 'RDKVLOG1\1\0\0\0\0\0\0\0' | refuse
"$REUSEDIST" kv nothing || echo "status $?"
# These logs are valid.
printf '%s\n' '{"hash_ids": [], "input_length": 0}' | "$REUSEDIST" kv --sizes=1 --out=csv -
printf '%s\n' '{"hash_ids": [1, 2, 1]}' '{"hash_ids": [2, 1, 2]}' '{"hash_ids": [1, 2, 3]}' |
    "$REUSEDIST" kv --ids=content -f jsonl:blocks=hash_ids --block-tokens=1 --sizes=9 --out=csv -
printf '%s\n' '{"hash_ids": [1], "input_length": 1, "timestamp": 5}' \
    '{"hash_ids": [1], "input_length": 1, "timestamp": 4}' | "$REUSEDIST" kv --sizes=1 --ascii -
