# Wrong options are refused before the log is opened.
cp "$EXAMPLES/conversations.jsonl" log
log=log
for options in --unit=bytes --tiers=HBM=4G "--hits=50%" "--model=lama-3.1-8b" "--model=layers=3" \
    "--model=phi-4 --tiers=HBM" "--model=phi-4 --tiers=A=4G,B=1G --fill=inclusive" "--model=phi-4 --token-bytes=3" \
    "--model=phi-4 --tiers=A=4G:price=3" "--model=phi-4 --tiers=A=1G --hits=0%" "--model=phi-4 --tiers=A=1G --hits=60" \
    "--model=phi-4 --tiers=A=1G --second-cost=3" "--block-tokens=0" "--replicas=0" "--replicas=2000" \
    "--order=back" "--outputs=cache" "-f jsonl" "-f mooncak" "--sizes=0" "--card=80G" "--budget=5" \
    "--model=phi-4 --tiers=A=1,B=1,C=1,D=1,E=1 --hits=1%" "--tiers=" "--block-tokens=16" \
    "--model=phi-4 --tiers=A=1G --budget=0" "--token-bytes=0" "--model=phi-4 --tiers=A=0" \
    "--model=phi-4 --tiers=A=1G,A=2G" "--model=phi-4 --tiers=A=1G --hits=130%" "--fill=inclusive" \
    "--model=phi-4 --prefill=10000" "--model=phi-4 --weights=20G" "--model=phi-4 --sizes=64" "--unit=tokens --sizes=5"; do
    # shellcheck disable=SC2086 # the options are words
    "$REUSEDIST" kv $options "$log" >out || echo "$options: status $?"
    [ ! -s out ] || echo "$options: output"
    rm out
done
"$REUSEDIST" kv || echo "status $?"
