$REUSEDIST generate zipf:refs=100000,seed=9 -o a
$REUSEDIST generate zipf:refs=100000,seed=9 >b
$REUSEDIST generate zipf:refs=100000,seed=9 -o - | cmp - b
cmp a b
$REUSEDIST analyze -e null --out=text a | grep references
