# The JUnit file has one test case per rule and compared profile. Rules pass, fail or cannot be applied.
cp "$DATA"/profiles/{exact,worse,better}.json .
cp exact.json '<a&"b">.json'
"$REUSEDIST" compare --out=csv --junit=out.xml --fail-if='miss-ratio@128>+1%' --fail-if=bound-broken \
    --fail-if='misses@128>1x' exact.json worse.json better.json '<a&"b">.json' >/dev/null 2>&1 || echo "exit $?"
python3 - <<'PYTHON'
import xml.etree.ElementTree as tree
suites = tree.parse("out.xml").getroot()
for suite in [suites] + list(suites):
    print(suite.tag, suite.attrib)
for case in suites.iter("testcase"):
    print(case.get("classname"), "|", case.get("name"))
    for what in case.iter():
        if what.tag in ("failure", "error", "property"):
            print("   ", what.tag, what.get("message") or what.get("value"))
PYTHON
