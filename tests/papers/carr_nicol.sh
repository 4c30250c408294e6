# Tests the tables of Carr and Nicol's paper. Every result is checked against another engine.
"$REUSEDIST" carr-nicol -r 1 --refs=3000 | grep -w cpu | grep -cw same
"$REUSEDIST" carr-nicol -r 1 -b 16 --refs=3000 zipf:blocks=50,refs=3000 | grep -w cpu | grep -cw same
