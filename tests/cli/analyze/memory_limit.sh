# The limit is too small even for the buffers.
printf 12345678 | $REUSEDIST analyze -f u64 --mem=1K -
