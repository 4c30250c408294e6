# A program that crashes leaves its profile, and its status.
for end in abort segv; do
    "$REUSEDIST" run --out=json -o t.json -- "$PROGRAMS/walk" $end 2>/dev/null || echo "status $?"
    grep '"partial"' t.json
    [ "$(sed -n 's/.*"references": \([0-9]*\),$/\1/p' t.json)" -gt 85000 ] && echo "many references"
done
