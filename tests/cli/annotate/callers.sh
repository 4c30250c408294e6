# A library function that two lines of own code call is divided between them by the calling contexts. Own code
# and code that it does not call sum to the whole profile, for references and each level.
cp "$DATA/profiles/own_callers.json" .
"$REUSEDIST" annotate own_callers.json
echo "== as a table"
"$REUSEDIST" report --to=csv own_callers.json
