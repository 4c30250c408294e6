# Code that writes parts of registers, and flags, computes the same when it is recorded.
"$PROGRAMS/mixture" >alone
"$REUSEDIST" run -q -o profile -- "$PROGRAMS/mixture" >recorded
cmp alone recorded && echo "the same"
