# The tool line names this release, not the one that made the file.
"$REUSEDIST" merge "$DATA/profiles/exact.json" | grep -v "\"tool\"" >same.json
grep -v "\"tool\"" "$DATA/profiles/exact.json" | cmp - same.json
