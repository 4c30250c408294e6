# A wrong option of the analysis is reported before the program starts.
"$REUSEDIST" run -e nope -- touch started 2>messages || echo "exit $?"
grep -o "unknown engine 'nope'" messages
ls started 2>/dev/null || echo "not started"
# A wrong burst is reported once.
"$REUSEDIST" run --burst=1M -- touch started 2>messages || echo "exit $?"
cat messages
ls started 2>/dev/null || echo "not started"
