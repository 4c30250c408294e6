# With --ascii, the table and the chart have only ASCII characters and fit into 60 columns.
# The trace is a loop over 300 blocks inside a pass over 3000 blocks.
loops() { awk 'BEGIN {
    for (pass = 0; pass < 4; pass++)
        for (i = 0; i < 10; i++)
            for (repeat = 0; repeat < 5; repeat++)
                for (k = 0; k < 300; k++) printf " L %x,8\n", (i * 300 + k) * 64
}'; }
loops >trace
COLUMNS=60 $REUSEDIST mrc --ascii --sizes=1K,16K,32K,256K trace
