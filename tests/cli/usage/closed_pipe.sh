# The reader is gone before anything is written: a message and exit 1, not a silent death.
exec 3> >(:)
wait $!
"$REUSEDIST" help >&3
