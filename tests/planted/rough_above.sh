"$REUSEDIST" verify -e rough:mistake=above --traces=10000 || code=$?
exit $code
