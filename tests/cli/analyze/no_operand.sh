$REUSEDIST analyze
