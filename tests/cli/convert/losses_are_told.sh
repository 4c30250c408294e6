printf ' L 1000,8\n S 2000,4\n' >t.lackey
$REUSEDIST convert t.lackey --to=u64 -o t.u64
$REUSEDIST convert t.lackey --to=u64 -o t.u64 -q
printf '{"hash_ids":[1,2]}\n' >t.jsonl
$REUSEDIST convert t.jsonl --to=u64 -o t.u64
$REUSEDIST convert t.jsonl -o t.trace
$REUSEDIST convert t.trace --to=u64 | od -An -v -t u8 -w8
# din has no sizes, and only the native format stores what requests have beside sizes.
printf 'addr,size,kind\n0,256,L\n64,64,S\n' | "$REUSEDIST" convert --to=din -
printf 'time,id,op,ttl\n10,a,get,1\n20,a,delete,1\n' >requests.csv
"$REUSEDIST" convert -o requests.trace requests.csv
for trace in requests.csv requests.trace; do "$REUSEDIST" convert --to=u64 -o requests.u64 $trace; done
printf '{"key": "a", "when": 5, "bytes": 7}\n' | "$REUSEDIST" convert --to=u64 -o requests.u64 -f jsonl:id=key,time=when,size=bytes -
head -c 48 /dev/zero | "$REUSEDIST" convert --to=u64 -o requests.u64 -f oraclegeneral -
head -c 48 /dev/zero | "$REUSEDIST" convert --to=u64 -o requests.u64 -f 'binary:format=<QQQ,id=1,time=2,ttl=3' -
"$REUSEDIST" convert --merge=time --to=u64 -o requests.u64 requests.csv requests.trace
"$REUSEDIST" convert -q --to=u64 -o requests.u64 requests.csv
