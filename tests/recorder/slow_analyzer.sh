# No reference is lost when the analysis is much slower than the program: the oracle and the fastest engine
# agree.
env -i "$REUSEDIST" run -e stack --hist=full --out=csv -o slow.csv -- "$PROGRAMS/walk"
env -i "$REUSEDIST" run --hist=full --out=csv -o fast.csv -- "$PROGRAMS/walk"
[ "$(wc -l <slow.csv)" -gt 100 ] && cmp slow.csv fast.csv
