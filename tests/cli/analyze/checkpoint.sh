# An analysis that could not write its result leaves a checkpoint. The next analysis uses and removes it.
$REUSEDIST generate zipf:blocks=100,refs=5000 -o t.trace
$REUSEDIST analyze --out=csv t.trace >expected
$REUSEDIST analyze -e parda:ranks=2,phase=1000 --checkpoint=kept -o /dev/full t.trace 2>/dev/null || true
test -e kept && echo "kept"
$REUSEDIST analyze -e parda:ranks=3 --checkpoint=kept --out=csv t.trace | cmp - expected && echo "same"
test ! -e kept && echo "gone"
