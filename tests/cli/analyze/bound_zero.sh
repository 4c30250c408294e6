$REUSEDIST analyze --bound=0 nothing
