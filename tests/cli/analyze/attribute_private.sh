# With private stacks, a line's infinite distances may be coherence misses, so the report does not call them first
# touches.
for ((round = 0; round < 20; round++)); do
    for ((i = 0; i < 64; i++)); do
        echo "$((64 * i)),8,L,1,0x401010"
        ((i % 4)) || echo "$((64 * i)),8,S,2,0x402020"
    done
done >trace
for stacks in shared private; do
    "$REUSEDIST" analyze --attribute --stacks=$stacks --caches=L1=1K --ascii -f csv:addr=1,size=2,kind=3,thread=4,pc=5 \
        trace | sed -n '/^L1 would miss/,$p'
done
