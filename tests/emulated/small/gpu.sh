# Checks `gpu` with tiles of 64 references, so that traces of a few hundred references have several tiles, buckets
# and panels of the table.
"$REUSEDIST" verify -e gpu --traces=300
