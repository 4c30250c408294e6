# A program that crashes still gives a profile and its exit status.
for end in abort segv; do
    "$REUSEDIST" run --out=json -o t.json -- "$PROGRAMS/walk" $end 2>/dev/null || echo "status $?"
    grep '"partial"' t.json
    [ "$(sed -n 's/.*"references": \([0-9]*\),$/\1/p' t.json)" -gt 85000 ] && echo "many references"
done
