# A fraction of a second is enough to check some traces. With --seconds=0, verify fails.
"$REUSEDIST" verify -e stack --seconds=0.2 | grep -c ' [1-9][0-9]*  stack'
"$REUSEDIST" verify -e stack --seconds=0
