# If the reader of a pipe has exited, there is a message and exit status 1, not a silent exit.
exec 3> >(:)
wait $!
"$REUSEDIST" help >&3
