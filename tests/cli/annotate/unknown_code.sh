# Notes say where names or lines are unknown, in the listing and on the page.
change() { # PYTHON: changes the attribution `a` of contexts.json
    python3 - "$DATA/profiles/contexts.json" "$1" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
del p["contexts"]
a = p["attribution"]
exec(sys.argv[2])
json.dump(p, open("p.json", "w"))
PYTHON
    "$REUSEDIST" annotate p.json | sed -n '/whole profile/,$p' | sed 1d
    "$REUSEDIST" report p.json | grep -c '"unknown_code"' || true
}
change 'pass'
echo "== no -g"
change 'a["lines"][1]["source"] = None'
echo "== stripped"
change 'a["lines"][1]["source"] = None; a["functions"][1]["name"] = "0x1139"'
echo "== JIT"
change 'a["lines"][1]["source"] = None; a["functions"][1].update(name="0x7f1139", module=None)'
echo "== an interpreter"
change 'a["functions"][0]["module"] = "python3.11"; a["functions"][1]["module"] = "libpython3.11.so.1.0"'
echo "== a module whose name has control characters"
change 'a["lines"][1]["source"] = None; a["functions"][1].update(name="0x1139", module="e\033[31mvil\nname")'
