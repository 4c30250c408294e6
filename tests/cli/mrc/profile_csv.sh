# The trace is a loop over 300 blocks inside a pass over 3000 blocks.
loops() { awk 'BEGIN {
    for (pass = 0; pass < 4; pass++)
        for (i = 0; i < 10; i++)
            for (repeat = 0; repeat < 5; repeat++)
                for (k = 0; k < 300; k++) printf " L %x,8\n", (i * 300 + k) * 64
}'; }
loops >trace
# The profile is read by name, from standard input and through a pipe. At the ends of bins, the result is the
# same as from the trace.
$REUSEDIST analyze --out=json -o profile trace
for sizes in 4K,32K,1M; do
    $REUSEDIST mrc --out=csv --sizes=$sizes trace
    $REUSEDIST mrc --out=csv --sizes=$sizes profile
    $REUSEDIST mrc --out=csv --sizes=$sizes - <profile
    cat profile | $REUSEDIST mrc --out=csv --sizes=$sizes -
done
