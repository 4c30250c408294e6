# Children are recorded on request, with separate address spaces, and so is a program that a process starts
# with exec().
block=$((16#$(nm "$PROGRAMS/family" | awk '$3 == "block" {print $1}')))

# stores [OPTION] -- COMMAND...: records the command, and prints how many stores each process makes to the block that
# both processes write.
stores() {
    "$REUSEDIST" record --kinds=S --to=u64 -o t "$@" 2>/dev/null
    od -An -v -tu8 -w8 t | awk -v block="$block" '
        {process = int($1 / 2^48); address = $1 - process * 2^48}
        address >= block && address < block + 64 {n[process]++}
        END {for (p = 0; p < 10; p++) if (n[p]) printf "process %d: %d\n", p, n[p]}'
}

stores -- "$PROGRAMS/family"
stores --trace-children -- "$PROGRAMS/family"
echo "with another program:"
"$REUSEDIST" run --trace-children --kinds=S --out=json -o - -- "$PROGRAMS/family" "$PROGRAMS/family" |
    sed -n 's/.*"partial": /partial: /p'
stores --trace-children -- "$PROGRAMS/family" "$PROGRAMS/family"
echo "what a child does that is not recorded is not called skipped:"
"$REUSEDIST" run --out=json -o - -- "$PROGRAMS/family" | sed -n 's/.*"skipped": /skipped: /p'
echo "who is not recorded is counted:"
"$REUSEDIST" run -o /dev/null -- "$PROGRAMS/family" 2>&1
"$REUSEDIST" run -o /dev/null -- sh -c '"$0"; "$0"; true' "$PROGRAMS/walk" 2>&1
"$REUSEDIST" record -o t -- sh -c 'exec "$0"' "$PROGRAMS/walk" 2>&1
"$REUSEDIST" run -o /dev/null -- sh -c 'exec ./missing 2>/dev/null' 2>&1 || echo "status $?"
"$REUSEDIST" run -q -o /dev/null -- "$PROGRAMS/family" 2>&1
"$REUSEDIST" run --trace-children -o /dev/null -- "$PROGRAMS/family" 2>&1
echo "the profile says so, also after a merge:"
"$REUSEDIST" run -q --out=json -o t.json -- "$PROGRAMS/family"
"$REUSEDIST" run -q --out=json -o e.json -- sh -c 'exec "$0"' "$PROGRAMS/walk"
"$REUSEDIST" run -q --trace-children --out=json -o c.json -- "$PROGRAMS/family"
grep '"unrecorded"' t.json e.json c.json || true
"$REUSEDIST" run -q -o - -- "$PROGRAMS/family" | sed -n 2,3p
"$REUSEDIST" merge t.json e.json c.json | grep '"unrecorded"'
