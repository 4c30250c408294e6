# A mistake in the options of the analysis is found before the program is started.
"$REUSEDIST" run -e nope -- touch started 2>messages || echo "exit $?"
grep -o "unknown engine 'nope'" messages
ls started 2>/dev/null || echo "not started"
