# Output that cannot be written is a failure.
"$REUSEDIST" help > /dev/full
