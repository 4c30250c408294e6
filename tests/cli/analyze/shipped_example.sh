# The trace in examples/ is whole, and its numbers are known.
"$REUSEDIST" analyze --hist=log --out=csv "$EXAMPLES/gzip.trace.xz"
