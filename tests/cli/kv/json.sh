# The JSON output has the whole result, with tiers, a plan and replicas.
cat >log <<'END'
{"chat_id": 1, "parent_chat_id": -1, "turn": 1, "timestamp": 0, "input_length": 20, "output_length": 1, "hash_ids": [1, 2]}
{"chat_id": 2, "parent_chat_id": 1, "turn": 2, "timestamp": 5, "input_length": 32, "output_length": 1, "hash_ids": [1, 3]}
{"chat_id": 3, "parent_chat_id": 2, "turn": 3, "timestamp": 10, "input_length": 40, "output_length": 1, "hash_ids": [1, 3, 4]}
END
"$REUSEDIST" kv --token-bytes=64 --sizes=2K --tiers=A=1K:cost=2,B=4K:cost=1 --hits=30% --replicas=2 --opt --out=json log | grep -v '"tool"'
