"$REUSEDIST" verify -e guess:mistake=count --traces=10000 || code=$?
exit $code
