"$REUSEDIST" verify -e guess:mistake=batch --traces=10000 || code=$?
exit $code
