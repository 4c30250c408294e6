"$REUSEDIST"
"$REUSEDIST" hprda --help | head -2
"$REUSEDIST" nonsense || echo "exit $?"
