# If the stack is too small (ulimit -s), the command reports this. The stacks of threads do not depend on the
# limit.
$REUSEDIST generate zipf:refs=300K,blocks=4K -o t
(ulimit -s 64; exec env -i $REUSEDIST analyze -t 4 t) || echo "64 KiB: $?"
for engine in auto chunks parda levels geometric; do
    (ulimit -s 256; exec env -i $REUSEDIST analyze -t 4 -e $engine --out=csv t) >$engine
    cmp auto $engine
done
(ulimit -s 256; exec env -i $REUSEDIST analyze -t 4 --out=csv -) <t | cmp - auto
