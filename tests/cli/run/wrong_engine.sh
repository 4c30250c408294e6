# A wrong option of the analysis is reported before the program starts.
"$REUSEDIST" run -e nope -- touch started 2>messages || echo "exit $?"
grep -o "unknown engine 'nope'" messages
ls started 2>/dev/null || echo "not started"
