# Checks feeds from pinned memory: with several threads, the buffers of the decoders are pinned, and the
# device reads the blocks from there. With -b 4, references span two blocks and fill more buffers.
"$REUSEDIST" generate zipf:blocks=5K,refs=1200K -o trace
for mapping in '' '-b addr' '-b 4'; do
    # shellcheck disable=SC2086 # one word per option
    "$REUSEDIST" analyze -t 3 -e gpu $mapping --out=csv trace >got
    # shellcheck disable=SC2086 # one word per option
    "$REUSEDIST" analyze -t 1 -e auto $mapping --out=csv trace >expected
    cmp got expected
done
"$REUSEDIST" analyze -t 2 -e gpu:batch=100K --distances=got trace >profile
"$REUSEDIST" analyze -t 1 --distances=expected trace >profile
cmp got expected
