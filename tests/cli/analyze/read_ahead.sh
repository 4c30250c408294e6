# If several threads read a file ahead for an engine, the result is the same as with one reader, also with two
# files, and with a damaged file up to the damage.
"$REUSEDIST" generate -q zipf:blocks=5000,refs=1300000 -o t.trace
same() {
    for threads in 1 3; do
        { "$REUSEDIST" analyze -q -t $threads --out=csv "$@" 2>&1 || echo "exit $?"; } | cksum
    done | uniq | wc -l
}
same -e stream t.trace
same -e bk --bound=100 t.trace t.trace
same -e stream --mem=1G t.trace
same -e stream -o /dev/null --distances=- t.trace
for at in 9 6; do
    printf damage | dd of=t.trace bs=1 seek=$(($(wc -c <t.trace) * at / 10)) conv=notrunc status=none
done
same -e stream t.trace
same -e stream --partial t.trace
same -e auto --partial t.trace
"$REUSEDIST" analyze -q -t 3 -e stream --partial --out=csv --hist=linear:5000 t.trace || echo "exit $?"
