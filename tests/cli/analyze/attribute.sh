# The trace walks over a matrix by columns and then by rows, and the profile attributes the two walks to two
# instructions. The command and scripts/check_profile.py accept the profile, and both reject a profile that
# contradicts itself.
for ((i = 0; i < 64; i++)); do
    for ((k = 0; k < 64; k++)); do
        printf '0x401010: R 0x%x\n0x401018: R 0x%x\n' $((1048576 + 8 * (64 * i + k))) \
            $((2097152 + 8 * (64 * k + i)))
    done
done >walks
"$REUSEDIST" analyze -f pinatrace --attribute --spatial --caches=L1=1K,L2=8K --windows=4 --out=json -o walks.json walks
check="$DATA"/../../scripts/check_profile.py
"$check" walks.json
grep -A 2 '"functions"' walks.json
grep -A 2 '"pairs"' walks.json
grep '"phases"' walks.json
grep -A 5 '"spatial"' walks.json
grep -q '"schema": "reusedist.profile/1.1"' walks.json
"$REUSEDIST" merge walks.json walks.json | grep -c '"schema": "reusedist.profile/1"'
while read -r edit; do
    sed "$edit" walks.json >bad.json
    ! cmp -s walks.json bad.json || echo "does nothing: $edit"
    ! "$REUSEDIST" merge bad.json >/dev/null 2>&1 || echo "accepted: $edit"
    ! "$check" bad.json 2>/dev/null || echo "script accepts: $edit"
done <<'EDITS'
s/"use": 0/"use": 2/
s/"function": 1/"function": 7/
s/"from": 2048/"from": 2049/
s/"phases": \[0/"phases": [1/
s/"phase_numbers": \[1/"phase_numbers": [2/
s/"phase_numbers": \[1/"phase_numbers": [1, 2/
s/"word_bytes": 8/"word_bytes": 9/
s/"kind": "other"/"kind": "air"/
s/"misses": \[/"misses": [0, /
/"functions"/d
EDITS
