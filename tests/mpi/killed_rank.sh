# A rank that dies ends the whole job in less than ten seconds, without a result.
reusedist generate zipf:blocks=2000,refs=100000 -o t.native
reusedist convert t.native -o t.u64 --to=u64
mkfifo pipe
(cat t.u64 && exec sleep 50) >pipe & # a trace that does not end
feeder=$!
ranks 3 analyze -f u64 -e parda:phase=10000 -o out.json - <pipe 2>messages &
job=$!
victim=
for _ in $(seq 100); do
    victim=$(pgrep -f "^$parallel analyze -f u64 -e parda:phase=10000 -o out.json -$" | tail -1) || true
    test -n "$victim" && break
    sleep 0.1
done
test -n "$victim" || give_up "no process of the job was found"
sleep 1
start=$SECONDS
kill -KILL "$victim"
status=0
wait $job || status=$?
kill $feeder 2>/dev/null || true
test $status -ne 0 || give_up "exit status 0 after a rank was killed"
test $((SECONDS - start)) -lt 10 || give_up "the job took $((SECONDS - start)) s to end"
test ! -e out.json || give_up "a result was written"
