# The trace in examples/ is complete and has the known numbers.
"$REUSEDIST" analyze --hist=log --out=csv "$EXAMPLES/gzip.trace.xz"
