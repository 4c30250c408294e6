# A killed job continues from its checkpoint and gives the identical result.
reusedist generate zipf:blocks=2000,refs=100000 -o t.native
reusedist convert t.native -o t.u64 --to=u64
reusedist analyze -f u64 --hist=full --out=csv t.u64 >expected
mkfifo pipe
(head -c 500000 t.u64 && exec sleep 50) >pipe & # the job gets only the beginning of the trace
feeder=$!
ranks 3 analyze -f u64 -e parda:phase=10000 --checkpoint=kept --hist=full -o out - <pipe 2>messages &
job=$!
for _ in $(seq 100); do
    test -e kept && break
    sleep 0.1
done
test -e kept || give_up "no checkpoint was written"
kill -KILL "$(pgrep -f "^$parallel analyze .* --checkpoint=kept " | tail -1)"
wait $job && give_up "exit status 0 after a rank was killed"
kill $feeder 2>/dev/null || true
test ! -e out || give_up "a result was written"

# The job may continue with a different number of ranks.
ranks 2 analyze -v -f u64 -e parda:phase=20000 --checkpoint=kept --hist=full --out=csv - <t.u64 >got
cmp expected got || give_up "the result differs"
test ! -e kept || give_up "the checkpoint is still there"

# If ranks read their own parts, the last checkpoint of a complete run can also be used.
ranks 3 analyze -e parda:phase=30000 --checkpoint=kept -o /dev/full t.u64 2>messages &&
    give_up "a full disk was not reported"
test -e kept || give_up "the checkpoint was removed although there is no result"
ranks 4 analyze -e parda --checkpoint=kept --hist=full -f u64 --out=csv t.u64 2>messages &&
    give_up "a checkpoint of another analysis was used"
ranks 4 analyze -e parda --checkpoint=kept t.u64 >/dev/null
reusedist analyze --out=csv t.u64 >expected
ranks 3 analyze -e parda:phase=30000 --checkpoint=kept --out=csv t.u64 >got
cmp expected got || give_up "the result differs if ranks read parts"
