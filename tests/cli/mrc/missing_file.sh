$REUSEDIST mrc nothing
