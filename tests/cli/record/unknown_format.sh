# A wrong format is reported before the program starts.
"$REUSEDIST" record --to=nosuch -o t.trace -- touch begun || echo "status $?"
"$REUSEDIST" record --to=native:nosuch=1 -o t.trace -- touch begun || echo "status $?"
"$REUSEDIST" record --to=champsim -o t.trace -- touch begun || echo "status $?"
[ ! -e begun ] && [ ! -e t.trace ]
