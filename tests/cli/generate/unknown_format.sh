$REUSEDIST generate uniform --to=pdf -o t || status=$?
test ! -e t
exit $status
