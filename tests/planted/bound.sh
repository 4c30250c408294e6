"$REUSEDIST" verify -e planted:mistake=bound --traces=10000 || code=$?
wc -l < verify-difference.txt
exit $code
