# Code whose source file is known, but not its line, is listed after the lines of the file.
seq -f 'line %.0f of the words' 100 >words.cpp
touch -d '1 hour ago' words.cpp # older than the profile
python3 - "$DATA/profiles/contexts.json" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
del p["contexts"]
p["attribution"]["lines"][1]["line"] = 0
json.dump(p, open("p.json", "w"))
PYTHON
sed 's#/home/user/words/words.cpp#words.cpp#g' p.json >here.json
"$REUSEDIST" annotate --threshold=2 --context=1 here.json words.cpp | sed -n '/^words.cpp/,/^$/p'
echo "== the source file is missing"
"$REUSEDIST" annotate --threshold=2 p.json | sed -n '/words.cpp$/,/^$/p'
