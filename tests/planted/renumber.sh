"$REUSEDIST" verify -e planted:mistake=renumber --traces=10000 || code=$?
wc -l < verify-difference.txt
exit $code
