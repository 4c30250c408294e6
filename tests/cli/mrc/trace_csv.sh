# The command computes miss ratios at given sizes from a trace, in a file and from standard input.
# The trace is a loop over 300 blocks inside a pass over 3000 blocks.
loops() { awk 'BEGIN {
    for (pass = 0; pass < 4; pass++)
        for (i = 0; i < 10; i++)
            for (repeat = 0; repeat < 5; repeat++)
                for (k = 0; k < 300; k++) printf " L %x,8\n", (i * 300 + k) * 64
}'; }
loops >trace
$REUSEDIST mrc --out=csv --sizes=18K,18.75K trace 2>/dev/null || echo "a size is a whole number"
$REUSEDIST mrc --out=csv --sizes=19136,19200,32K,1M trace
loops | $REUSEDIST mrc --out=csv --sizes=19136,19200 -
