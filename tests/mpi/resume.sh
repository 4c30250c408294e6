# A killed job continues from its checkpoint and gives the identical result.
reusedist generate zipf:blocks=2000,refs=100000 -o t.native
reusedist convert t.native -o t.u64 --to=u64
reusedist analyze -f u64 --hist=full --out=csv t.u64 >expected
mkfifo pipe
(head -c 500000 t.u64 && exec sleep 50) >pipe & # as far as the job gets
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

# The number of ranks may be different.
ranks 2 analyze -v -f u64 -e parda:phase=20000 --checkpoint=kept --hist=full --out=csv - <t.u64 >got
cmp expected got || give_up "another result"
test ! -e kept || give_up "the checkpoint is still there"

# If ranks read their own parts, the last checkpoint of a complete run can be used, too.
ranks 3 analyze -e parda:phase=30000 --checkpoint=kept -o /dev/full t.u64 2>messages &&
    give_up "a full disk went unnoticed"
test -e kept || give_up "the checkpoint is gone without a result"
ranks 4 analyze -e parda --checkpoint=kept --hist=full -f u64 --out=csv t.u64 2>messages &&
    give_up "a checkpoint of another analysis was taken"
ranks 4 analyze -e parda --checkpoint=kept t.u64 >/dev/null
reusedist analyze --out=csv t.u64 >expected
ranks 3 analyze -e parda:phase=30000 --checkpoint=kept --out=csv t.u64 >got
cmp expected got || give_up "another result with parts"
