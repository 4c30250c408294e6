# Every command that reads a profile of a later release skips the unknown sections and prints a note.
cat >later.json <<'P'
{"schema": "reusedist.profile/1.7", "references": 3, "infinite": 3, "exact": true, "error": {"kind": "exact"},
 "block_bytes": 64, "binning": "log", "coherence": [], "shadows": {"a": 1}, "histogram": []}
P
$REUSEDIST mrc --out=csv --sizes=64 later.json
$REUSEDIST mrc --out=csv --sizes=64 - <later.json
$REUSEDIST merge later.json -o sum.json
! grep 'coherence\|shadows' sum.json
