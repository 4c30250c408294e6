$REUSEDIST analyze --distances=d nothing.u64 || status=$?
test ! -e d # no file was written
exit $status
