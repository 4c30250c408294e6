# What did not reach its reader is a failure.
"$REUSEDIST" help > /dev/full
