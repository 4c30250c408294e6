# Peaks are the same for any number of threads that read the file. --peaks is refused with a bound, and with an
# engine that does not deliver distances immediately.
awk 'BEGIN {
    for (round = 0; round < 24; round++) {
        for (i = 0; i < 20000; i++) print 64 * i
        for (i = 0; i < 10000; i++) print 64 * i
    }
}' | "$REUSEDIST" convert -q -f text -o sweep.trace -
for threads in 1 2 3; do
    "$REUSEDIST" analyze --peaks=auto -t $threads --out=json sweep.trace | grep -o '"peaks": \[\[1, 1, [0-9]*, [0-9]*'
done
"$REUSEDIST" analyze --peaks=auto --bound=100 sweep.trace || echo $?
"$REUSEDIST" analyze --peaks=auto -e parda sweep.trace || echo $?
