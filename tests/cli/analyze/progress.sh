# The progress bar is drawn only on a terminal or on request. Here a slow pipe delivers the trace. The bar shows
# the number of references and the speed, and is erased at the end.
slow() { seq 1 1000; sleep 1; seq 1 100000; }
slow | "$REUSEDIST" analyze --progress=always -e bk --out=csv --hist=log -f text - 2>bar | tail -1
grep -c 'references  .*/s' bar
tail -c 4 bar | od -An -c
slow | "$REUSEDIST" analyze --progress=never -f text - 2>bar >/dev/null
wc -c <bar
