# Checks `gpu` with tiles of 64 references, so that every trace has many tiles, buckets and panels of the table.
"$REUSEDIST" verify -e gpu --traces=300
