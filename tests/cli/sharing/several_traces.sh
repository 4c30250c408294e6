# Several traces in lockstep are interleaved as one trace: threads in different files take turns, and the result is that
# of one file with the same references. Messages and counts name the files.
columns='addr,size,kind,thread'
for i in $(seq 100); do echo 0x40,8,S,1; done >one.rows
for i in $(seq 100); do echo 0x48,8,S,2; done >two.rows
for rows in one two; do (echo $columns; cat $rows.rows) >$rows.csv; done
(echo $columns; cat one.rows two.rows) >both.csv
"$REUSEDIST" convert -q one.csv two.csv -o joined.trace
for traces in 'one.csv two.csv' both.csv joined.trace; do
    echo "$traces:"
    "$REUSEDIST" sharing $traces | grep '  references\|  coherence\|  recorded'
done
"$REUSEDIST" sharing --reorder=20 one.csv two.csv | grep -A1 '^The reorder\|  coherence'
# same COMMAND OPTION...: the command prints the same for two files as for one.
same() {
    "$REUSEDIST" "$@" -q --out=csv both.csv >whole.csv
    "$REUSEDIST" "$@" -q --out=csv one.csv two.csv | cmp - whole.csv && echo "the same: $*"
}
same analyze --interleave=lockstep
same analyze --interleave=lockstep:7 --stacks=private
same analyze --interleave=lockstep --stacks=private --reorder=20
same simulate --interleave=lockstep --stacks=private --caches=L1=128:1,L2=1K:2:shared=yes
same mrc --interleave=lockstep --sizes=64,128
# A file without a column that the other one has counts as one that has the usual values in it.
sed 's/,8,/,/' two.csv | sed 1s/,size// >unsized.csv
(echo $columns; cat one.rows; sed s/,8,/,1,/ two.rows) >both.csv
"$REUSEDIST" sharing --out=csv both.csv >whole.csv
"$REUSEDIST" sharing --out=csv one.csv unsized.csv | cmp - whole.csv && echo 'the same without sizes'
sed 's/,1$//' one.csv | sed 1s/,thread// >unnumbered.csv
"$REUSEDIST" sharing two.csv unnumbered.csv && exit 1
# Recordings of different processes stay apart, as in one file; a trace without processes does not fit.
plain() { "$REUSEDIST" convert -q --to=native:processes=$1 -o $2 $3; }
echo $columns >child.csv
sed 's/^0x/0x10000000000/; s/,2$/,1/' two.rows >>child.csv
plain on first.trace one.csv
plain on second.trace child.csv
"$REUSEDIST" convert -q -o joined.trace first.trace second.trace
"$REUSEDIST" sharing --out=csv joined.trace >whole.csv
"$REUSEDIST" sharing --out=csv first.trace second.trace | cmp - whole.csv && echo 'the same with processes'
"$REUSEDIST" analyze --stacks=private --interleave=lockstep first.trace second.trace | grep 'one cache for'
"$REUSEDIST" sharing first.trace two.csv && exit 1
"$REUSEDIST" analyze -q --stacks=private two.csv first.trace && exit 1
# Merging by time comes before lockstep.
awk 'NR == 1 { print $0 ",time"; next } { print $0 "," 2 * NR }' one.csv >early.csv
awk 'NR == 1 { print $0 ",time"; next } { print $0 "," 2 * NR + 1 }' two.csv >late.csv
"$REUSEDIST" sharing --interleave=recorded early.csv late.csv | grep '  coherence'
"$REUSEDIST" analyze --stacks=private --interleave=lockstep:3 --merge=time late.csv early.csv | grep '  coherence'
# Only if all traces together have one thread is there a note.
"$REUSEDIST" sharing -o /dev/null one.csv one.csv
# A damaged trace ends the analysis, and so does one that runs past the end of the address space.
(cat two.csv; echo 0xzz) >damaged.csv
(cat two.csv; echo 0xfffffffffffffffc,8,L,2; cat one.rows) >past.csv
for last in damaged.csv past.csv missing.csv; do
    "$REUSEDIST" sharing one.csv $last && exit 1
    "$REUSEDIST" analyze --interleave=lockstep --partial --out=json one.csv $last one.csv >partial.json && exit 1
    sed -n '/"sources"/,/\]/p' partial.json
done
exit 0
