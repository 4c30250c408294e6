# If a source file has changed since the run, the listing has the text of lines from the profile. If the user gives a
# copy of the old file, under any name, the listing shows all lines.
python3 - "$DATA/profiles/contexts.json" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
a = p["attribution"]
for line in a["lines"]:
    if line["source"] == 1 and line["line"] != 99:
        line["text"] = f"line {line['line']} of the words"
a["snippets"] = [{"source": 1, "first": 63, "lines": ["line 63 of the words", "line 64 of the words",
                                                      "line 65 of the words"]}]
json.dump(p, open("p.json", "w"))
PYTHON
sed 's#/home/user/words/words.cpp#words.cpp#g' p.json >here.json
seq -f 'line %.0f of the words' 100 >words.cpp
echo "== not changed"
"$REUSEDIST" annotate --threshold=2 --context=1 here.json words.cpp | sed -n '5,/^$/p'
cp words.cpp old_words.txt
sed -i '40a a new line' words.cpp
echo "== changed"
"$REUSEDIST" annotate --threshold=2 --context=1 here.json words.cpp | sed -n '5,/^$/p'
echo "== the end is missing"
head -50 old_words.txt >words.cpp
"$REUSEDIST" annotate --threshold=2 --context=1 here.json words.cpp | grep '^ .*[ !]line'
echo "== the old file"
"$REUSEDIST" annotate --threshold=2 --context=1 here.json old_words.txt | sed -n '5,/^$/p'
echo "== a file that is no copy"
sed 's/line 90/another line/' old_words.txt >other.txt
"$REUSEDIST" annotate here.json other.txt | sed -n 4p
