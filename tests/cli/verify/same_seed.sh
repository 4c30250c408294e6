# The same seed checks the same traces.
"$REUSEDIST" verify --traces=10 --seed=123 > a
"$REUSEDIST" verify --traces=10 --seed=123 > b
cmp a b
