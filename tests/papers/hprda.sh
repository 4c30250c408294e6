# Tests HP-RDA's figures for a trace.
"$REUSEDIST" hprda -r 1 -o lines zipf:blocks=50,refs=3000 | grep -v '^skipped: '
grep -c '"figure":"16-17"' lines
