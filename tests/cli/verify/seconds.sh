# Half a second checks something; no time at all is no proof of anything.
"$REUSEDIST" verify -e stack --seconds=0.2 | grep -c ' [1-9][0-9]*  stack'
"$REUSEDIST" verify -e stack --seconds=0
