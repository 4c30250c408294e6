$REUSEDIST analyze --distances=- trace
