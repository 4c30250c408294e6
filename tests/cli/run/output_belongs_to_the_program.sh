# Standard output belongs to the program: the result goes to standard error, or to the file of -o.
"$REUSEDIST" version | grep -q '^ *valgrind' || { echo "no recorder in this build"; exit 77; }
say() { "$REUSEDIST" run "$@" -- echo said; }
say 2>report
sed -n 1,2p report
say --out=csv --hist=log 2>report
head -1 report
say --out=csv --hist=log -o report 2>messages
head -1 report
cat messages
say --out=csv --hist=log -o - | head -2
# Distances on standard output do not collide with the result on standard error.
say --distances=- --hist=full --out=csv 2>report | sed -n '/said/p' | head -1
head -1 report
say --distances=- -o - 2>&1 || echo "status $?"
say 2>/dev/full || echo "status $?"
