# With --outputs=cache, generated tokens enter the cache. Here the second prompt repeats the first one and its answer.
cat >log <<'END'
{"token_ids": [1, 2, 3], "output_token_ids": [4, 5, 6]}
{"token_ids": [1, 2, 3, 4, 5, 6, 7], "output_token_ids": []}
END
"$REUSEDIST" kv --block-tokens=2 --sizes=8 --outputs=drop --out=csv log
"$REUSEDIST" kv --block-tokens=2 --sizes=8 --outputs=cache --out=csv log
"$REUSEDIST" kv --block-tokens=2 --sizes=8 --outputs=cache --partial=drop --out=csv log
