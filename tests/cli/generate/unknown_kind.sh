$REUSEDIST generate zip -o t || status=$?
test ! -e t
exit $status
