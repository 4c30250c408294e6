# Repeats that the recorder only counts: the very same result, to every digit.
for options in "" "-b 4096" "-b 16 --hist=linear:10" "--bound=100 -e olken" "--kinds=S"; do
    # shellcheck disable=SC2086 # several words
    for how in "" --collapse; do
        env -i "$REUSEDIST" run $options $how --out=json -o "t$how.json" -- "$PROGRAMS/walk"
        grep -v '"seconds"\|"bytes"' "t$how.json" >"t$how"
    done
    cmp t t--collapse
done
references() { sed -n 's/.*"references": \([0-9]*\)}.*/\1/p' "$1"; }
bytes() { sed -n 's/.*"bytes": \([0-9]*\),.*/\1/p' "$1"; }
[ "$(references t.json)" -eq "$(references t--collapse.json)" ] && echo "all counted"
[ "$(bytes t.json)" -gt "$(bytes t--collapse.json)" ] && echo "fewer transferred"
"$REUSEDIST" run --collapse -b addr -- "$PROGRAMS/walk" || echo "status $?"
"$REUSEDIST" run --collapse -b 3 -- "$PROGRAMS/walk" || echo "status $?"
