"$REUSEDIST" verify -e planted:mistake=count --traces=10000 || code=$?
wc -l < verify-difference.txt
exit $code
