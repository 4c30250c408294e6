"$REUSEDIST" verify -e planted:mistake=blocks --traces=10000 || code=$?
wc -l < verify-difference.txt
exit $code
