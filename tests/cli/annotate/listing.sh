# The listing shows source lines with their counts. Library code counts for the line of own code that calls it,
# and the sums equal those of the profile.
cp "$DATA/profiles/contexts.json" .
seq -f 'line %.0f of the words' 100 >words.cpp
touch -d '2001-01-01' words.cpp
"$REUSEDIST" annotate --threshold=2 --context=1 contexts.json words.cpp
echo "== whole file, by another cache"
"$REUSEDIST" annotate --cache=L2 --whole contexts.json words.cpp | grep -c ' of the words$'
"$REUSEDIST" annotate --cache=L2 --whole contexts.json words.cpp | grep 'line 64 '
echo "== files that are missing or newer"
touch words.cpp
touch -d '2001-01-01' contexts.json
"$REUSEDIST" annotate contexts.json | grep -A4 'parser.cpp'
"$REUSEDIST" annotate contexts.json words.cpp | grep '^Note'
echo "== other own code, and color"
"$REUSEDIST" annotate --own=sysdeps contexts.json | sed -n '/^\.\./p'
"$REUSEDIST" annotate --color=always contexts.json words.cpp | grep -c $'\033'
"$REUSEDIST" annotate --color=never contexts.json words.cpp | grep -c $'\033' || true
