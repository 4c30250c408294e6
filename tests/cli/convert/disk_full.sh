$REUSEDIST generate cycle:refs=300K -o t
$REUSEDIST convert t --to=text -o /dev/full
