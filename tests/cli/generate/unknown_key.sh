$REUSEDIST generate uniform:block=7 -o t || status=$?
test ! -e t
exit $status
