# A library function that two own lines call is divided between them by the calling contexts. Own lines and code
# without an own caller sum to the whole profile, for references and each level.
cp "$DATA/profiles/own_callers.json" .
"$REUSEDIST" annotate own_callers.json
echo "== as a table"
"$REUSEDIST" report --to=csv own_callers.json
