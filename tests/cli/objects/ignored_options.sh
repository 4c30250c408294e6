# For caches in bytes, --hist, and --hits together with --every, are refused instead of ignored.
printf 'time,id,size\n0,a,10\n1,b,20\n2,a,10\n7200,a,10\n' >t.csv
$REUSEDIST mrc --weight=bytes --every=1h --hits=50% t.csv || echo "$?"
for bins in full log linear:10 reference:3; do
    $REUSEDIST analyze --weight=bytes --hist=$bins t.csv || echo "$?"
done
$REUSEDIST mrc --weight=bytes --hist=log t.csv || echo "$?"
