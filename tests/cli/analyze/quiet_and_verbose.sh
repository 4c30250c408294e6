$REUSEDIST analyze -q -v trace
