# Profiles whose shared data contradict themselves are refused, also by the script that checks profiles. A profile
# without items and timelines is accepted.
sample=$DATA/../fuzz/corpus/profile/sharing
check=$DATA/../../scripts/check_profile.py
"$REUSEDIST" merge "$sample" >/dev/null && "$check" "$sample"
sed 's/, "items": .*]}/}/; s/"lines": \[\],/"lines": []/; /"window"/,/^    \]/d' "$sample" >old.json
"$REUSEDIST" merge old.json >/dev/null && "$check" old.json
"$REUSEDIST" sharing --out=json old.json | grep -A2 '"window"'
while read -r edit; do
    sed "$edit" "$sample" >bad.json
    ! cmp -s "$sample" bad.json || echo "does nothing: $edit"
    ! "$REUSEDIST" merge bad.json >/dev/null 2>&1 || echo "accepted: $edit"
    ! "$check" bad.json 2>/dev/null || echo "script accepts: $edit"
done <<'EDITS'
s/"first": 16, "last": 23/"first": 7, "last": 23/
s/"first": 16, "last": 23/"first": 24, "last": 23/
s/\[0, 0, 1, 0\]/[0, 0, 2, 0]/
s/"removes": 2, "items"/"removes": 9, "items"/
EDITS
