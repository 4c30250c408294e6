seq 3 | "$REUSEDIST" analyze -f text --peaks=auto -e khw - || echo $?
seq 3 | "$REUSEDIST" analyze -f text --peaks=auto -e bk --out=csv -q --hist=full -
