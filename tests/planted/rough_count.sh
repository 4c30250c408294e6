"$REUSEDIST" verify -e rough:mistake=count --traces=10000 || code=$?
exit $code
