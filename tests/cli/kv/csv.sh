# A small log, whose hits can be counted by hand, is analyzed in every unit. Request 2 repeats the first block of
# request 1, and request 3 repeats all of request 1: a cache of 1 block hits block 1 in request 3 only, because
# request 1 ends with block 2; a cache of 2 blocks hits all repeats.
cat >log <<'END'
{"timestamp": 0, "input_length": 20, "output_length": 1, "hash_ids": [1, 2]}
{"timestamp": 5, "input_length": 10, "output_length": 1, "hash_ids": [1]}
{"timestamp": 9, "input_length": 20, "output_length": 1, "hash_ids": [1, 2]}
END
"$REUSEDIST" kv --block-tokens=10 --sizes=3,1,2,2 --out=csv log
"$REUSEDIST" kv --block-tokens=10 --sizes=19,20 --unit=tokens --out=csv log
"$REUSEDIST" kv --block-tokens=10 --sizes=60,61 --token-bytes=3 --opt --out=csv log
"$REUSEDIST" kv --block-tokens=10 --order=tail --sizes=1,2 --out=csv log
