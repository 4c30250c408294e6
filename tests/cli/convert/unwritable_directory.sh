$REUSEDIST generate cycle:refs=3 -o nowhere/t
