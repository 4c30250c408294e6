# An engine without distances gives no miss ratios.
# The trace is a loop over 300 blocks inside a pass over 3000 blocks.
loops() { awk 'BEGIN {
    for (pass = 0; pass < 4; pass++)
        for (i = 0; i < 10; i++)
            for (repeat = 0; repeat < 5; repeat++)
                for (k = 0; k < 300; k++) printf " L %x,8\n", (i * 300 + k) * 64
}'; }
loops >trace
$REUSEDIST mrc -e null trace
