printf ' L 1000,8\n S 2000,4\n' >a
$REUSEDIST generate cycle:refs=2 -o b
$REUSEDIST convert a b -o t || status=$?
$REUSEDIST convert t --to=lackey
$REUSEDIST convert b a -o t || true
exit $status
