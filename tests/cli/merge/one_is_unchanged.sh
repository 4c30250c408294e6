# The field `tool` names this release, not the release that wrote the file.
"$REUSEDIST" merge "$DATA/profiles/exact.json" | grep -v "\"tool\"" >same.json
grep -v "\"tool\"" "$DATA/profiles/exact.json" | cmp - same.json
