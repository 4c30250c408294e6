# Tiles of 64 references: many blocks, buckets and segments of the table in every trace.
"$REUSEDIST" verify -e gpu --traces=300
