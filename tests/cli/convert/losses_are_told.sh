printf ' L 1000,8\n S 2000,4\n' >t.lackey
$REUSEDIST convert t.lackey --to=u64 -o t.u64
$REUSEDIST convert t.lackey --to=u64 -o t.u64 -q
printf '{"hash_ids":[1,2]}\n' >t.jsonl
$REUSEDIST convert t.jsonl --to=u64 -o t.u64
$REUSEDIST convert t.jsonl -o t.trace
$REUSEDIST convert t.trace --to=u64 | od -An -v -t u8 -w8
