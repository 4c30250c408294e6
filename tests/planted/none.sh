# Without a mistake the same engine passes: verify does not cry wolf.
"$REUSEDIST" verify -e planted:mistake=none --traces=1000
