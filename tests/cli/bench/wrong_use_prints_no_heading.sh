# A mistake is reported before anything is printed or written.
"$REUSEDIST" generate uniform:refs=500,blocks=100 -o t
cp t before
"$REUSEDIST" bench -e nonsense 2>/dev/null || echo $?
"$REUSEDIST" bench engines --refs=500 -o t t || echo $?
"$REUSEDIST" bench engines --refs=500 -o nowhere/r t || echo $?
cmp t before
