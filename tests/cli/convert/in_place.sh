# A trace can be converted in place.
$REUSEDIST generate cycle:blocks=4,refs=6 -o t
$REUSEDIST convert t --to=u64 -o t
od -An -v -t u8 -w8 t
