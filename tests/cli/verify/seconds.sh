# A time of nothing is still an answer, and half a second checks something.
"$REUSEDIST" verify -e stack --seconds=0
"$REUSEDIST" verify -e stack --seconds=0.2 | grep -c ' [1-9][0-9]*  stack'
