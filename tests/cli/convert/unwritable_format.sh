$REUSEDIST generate cycle:refs=3 -o t
$REUSEDIST convert t --to=champsim -o x
