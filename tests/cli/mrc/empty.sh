$REUSEDIST mrc - </dev/null
