# The limit of --mem is too small even for the buffers, so the analysis fails.
printf 12345678 | $REUSEDIST analyze -f u64 --mem=1K -
