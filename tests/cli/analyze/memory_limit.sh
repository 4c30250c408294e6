# Not even the buffers fit.
printf 12345678 | $REUSEDIST analyze -f u64 --mem=1K -
