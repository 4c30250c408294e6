# A checkpoint is refused if the trace has changed: if a file is shorter, if it has the same length but another
# content, and if a stream differs, which is known only while it is read.
keep() { $REUSEDIST analyze -e parda:ranks=2,phase=1000 --checkpoint=kept -o /dev/full "$@" 2>/dev/null || true; }
go_on() { $REUSEDIST analyze -e parda:ranks=2,phase=1000 --checkpoint=kept --out=csv "$@" || echo "exit $?"; }
$REUSEDIST generate zipf:blocks=100,refs=5000 -o first.u64 --to=u64
$REUSEDIST generate zipf:blocks=100,refs=5000,seed=2 -o second.u64 --to=u64
cp first.u64 t.u64
keep t.u64
head -c 8000 first.u64 >t.u64
go_on t.u64
cp second.u64 t.u64
go_on t.u64
rm kept
keep -f u64 - <first.u64
go_on -f u64 - <second.u64
test -e kept && echo "kept"
$REUSEDIST analyze -f u64 --out=csv - <first.u64 >expected
go_on -f u64 - <first.u64 | cmp - expected && echo "same"
