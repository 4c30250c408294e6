# A time of nothing is still an answer, and half a second checks something.
"$REUSEDIST" verify -e stack --seconds=0
"$REUSEDIST" verify -e stack --seconds=0.2 | grep -c 'stack *[1-9]'
