$REUSEDIST analyze --distances=d nothing.u64 || status=$?
test ! -e d # nothing to write, nothing touched
exit $status
