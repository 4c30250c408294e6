# If the name of a file has control characters and invalid UTF-8, the XML is still well-formed, and no message
# begins a new line or moves the cursor.
name=$(printf 'a\033[31m\nb\377\302\233c\303\244.json')
cp "$DATA/profiles/exact.json" .
cp "$DATA/profiles/worse.json" "$name"
"$REUSEDIST" compare --junit=out.xml --fail-if=different --fail-if='blocks>1x' exact.json "$name" |
    grep '^[12] \|^passed' || true
python3 -c '
import xml.etree.ElementTree as tree
for case in tree.parse("out.xml").iter("testcase"):
    print(case.get("classname"))'
