# If the reader of a pipe has exited, the command prints a message and exits with status 1 instead of ending
# silently.
exec 3> >(:)
wait $!
"$REUSEDIST" help >&3
