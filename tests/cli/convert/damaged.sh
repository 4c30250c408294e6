# The references before the damage become a complete trace.
$REUSEDIST generate cycle:blocks=5,refs=10 --to=native:frame=4 -o t.trace
head -c -20 t.trace >cut.trace
$REUSEDIST convert cut.trace -o new.trace || status=$?
$REUSEDIST convert new.trace --to=text
exit $status
