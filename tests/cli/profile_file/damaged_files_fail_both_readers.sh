# Each edit breaks one rule of the format.
refuse() {
    while read -r edit; do
        sed "$edit" "$1" >bad.json
        ! cmp -s "$1" bad.json || echo "does nothing: $edit"
        ! "$REUSEDIST" merge bad.json >/dev/null 2>&1 || echo "accepted: $edit"
        ! "$DATA"/../../scripts/check_profile.py bad.json 2>/dev/null || echo "script accepts: $edit"
    done
}
refuse "$DATA/profiles/exact.json" <<'EDITS'
s/profile.1"/profile\/2"/
/"infinite"/d
s/"cold": 1050/"cold": 1051/
s/"blocks": 1050/"blocks": 2001/
s/"exact": true/"exact": false/
s/"full"/"log"/
s/"block_bytes": 64/"block_bytes": 63/
s/"bound": null/"bound": 1000/
s/\[5, 5, 100, 500\]/[5, 5, 100, 501]/
s/\[5, 5, 100, 500\]/[5, 5, 0, 0]/
s/\[5, 5, 100, 500\]/[5, 4, 100, 500]/
s/\[5, 5, 100, 500\]/[1, 1, 100, 100]/
s/\[5, 5, 100, 500\]/[5, 5, 101, 505]/
s/\[5, 5, 100, 500\]/[5, 5, 100, null]/
s/\[5, 5, 100, 500\]/[5, 5, 100]/
s/"partial": false,/"partial": false, "partial": false,/
EDITS
printf 'id,size\n1,10\n1,10\n' >t.csv
"$REUSEDIST" analyze --weight=bytes --out=json -o objects.json t.csv
refuse objects.json <<'EDITS'
s/"largest": 10/"largest": 9223372036854775808/
EDITS
