# Tests that the figures of the HP-RDA paper can be made for a trace, and that figures 16 and 17 have a row.
"$REUSEDIST" hprda -r 1 -o lines zipf:blocks=50,refs=3000 | grep -v '^skipped: '
grep -c '"figure":"16-17"' lines
