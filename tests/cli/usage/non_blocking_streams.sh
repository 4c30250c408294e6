# The command also works with non-blocking standard streams: it waits until it can read or write. Another
# process with the same terminal or pipe can make the streams non-blocking.
cat >unblock.py <<'PY'
import os, sys
os.set_blocking(int(sys.argv[1]), False)
os.execv(sys.argv[2], sys.argv[2:])
PY
unblock() { python3 unblock.py "$@"; }
$REUSEDIST generate uniform:blocks=20K,refs=60K -o t
$REUSEDIST analyze -q --hist=full --out=csv -o expected t
$REUSEDIST analyze -q --out=json --hist=full -o profile t
[ "$(wc -c <expected)" -gt 65536 ] # more than fits into a pipe
unblock 1 $REUSEDIST analyze -q --hist=full --out=csv t | (sleep 0.5; cmp - expected)
(sleep 0.5; cat t) | unblock 0 $REUSEDIST analyze -q --hist=full --out=csv - | cmp - expected
for input in t profile; do
    (sleep 0.5; cat $input) | unblock 0 $REUSEDIST mrc -q --sizes=1K,4K --out=csv - >$input.csv
done
cmp t.csv profile.csv
(sleep 0.5; cat profile) | unblock 0 $REUSEDIST compare --fail-if=different - profile >/dev/null || echo "compare: $?"
