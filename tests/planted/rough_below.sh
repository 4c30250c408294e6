"$REUSEDIST" verify -e rough:mistake=below --traces=10000 || code=$?
exit $code
