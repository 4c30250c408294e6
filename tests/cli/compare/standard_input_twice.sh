"$REUSEDIST" compare - - </dev/null
