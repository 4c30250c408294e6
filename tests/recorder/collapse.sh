# The result is the same to every digit with --collapse, which makes the recorder only count repeated references.
for options in "" "-b 4096" "-b 16 --hist=linear:10" "--bound=100 -e olken" "-e khw:sizes=2:100:5000" "--kinds=S"; do
    # shellcheck disable=SC2086 # several words
    for how in auto on off; do
        env -i "$REUSEDIST" run $options --collapse=$how --out=json -o $how.json -- "$PROGRAMS/walk"
        grep -v '"seconds"\|"bytes"' $how.json >$how
    done
    cmp off auto
    cmp off on
done
references() { sed -n 's/.*"references": \([0-9]*\)}.*/\1/p' "$1"; }
bytes() { sed -n 's/.*"bytes": \([0-9]*\),.*/\1/p' "$1"; }
[ "$(references off.json)" -eq "$(references auto.json)" ] && echo "all counted"
[ "$(bytes off.json)" -gt "$(bytes auto.json)" ] && echo "fewer transferred"
"$REUSEDIST" run --collapse=on -b addr -- "$PROGRAMS/walk" || echo "status $?"
"$REUSEDIST" run --collapse=on -e time -- "$PROGRAMS/walk" || echo "status $?"
"$REUSEDIST" run -b 3 -- "$PROGRAMS/walk" || echo "status $?"
# The engine `time` gets all references, because it needs their time distances.
for how in auto off; do
    env -i "$REUSEDIST" run -e time --collapse=$how --out=json -o $how.json -- "$PROGRAMS/walk"
    grep -v '"seconds"' $how.json >$how
done
cmp off auto && echo "the same times"
