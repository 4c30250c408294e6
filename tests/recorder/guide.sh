# Steps 2 and 4 of docs/guide.md, with a smaller picture, lead to the line, the pair and the data that the
# guide names. The fixed program writes the same picture with a fraction of the misses.
"$REUSEDIST" version | grep -q '^ *libdw' || { echo "built without libdw: addresses have no lines"; exit 77; }
gcc -O2 -g "$EXAMPLES/blur.c" -o blur
{ printf 'P5 512 768 255\n'; head -c 393216 /dev/zero | tr '\0' 'x'; } >picture.pgm
for how in '' rows; do
    # shellcheck disable=SC2086 # no word if there is no argument
    "$REUSEDIST" run -q --attribute --caches=L1=32K,L2=1M,L3=32M --out=json -o "profile$how.json" -- \
        ./blur 8 picture.pgm "blurred$how.pgm" $how
done
cmp blurred.pgm blurredrows.pgm
line=$(grep -o 'blur\.c:[0-9]*' "$EXAMPLES/../docs/guide.md" | head -1)
python3 - "${line#*:}" <<'PYTHON'
import json, os, sys
found = json.load(open("profile.json"))["attribution"]
top, pair, data = found["lines"][0], found["pairs"][0], found["data"][0]
print("line of the guide:", top["line"] == int(sys.argv[1]), top["text"].strip())
print("file:", os.path.basename(found["sources"][top["source"]]))
print("pair:", [found["lines"][pair[side]]["line"] == top["line"] for side in ("use", "reuse")])
print("data:", data["kind"], data["name"].split()[0])
PYTHON
"$REUSEDIST" compare --out=csv --fail-if='misses@32K>0.3x' profile.json profilerows.json >/dev/null
"$REUSEDIST" report profile.json profilerows.json -o both.html
# The C++ program of the guide: the first line is the one that the guide names, and the fix has fewer misses.
command -v g++ >/dev/null || { echo "g++ is not installed"; exit 77; }
g++ -std=c++17 -O2 -g -gdwarf-4 "$EXAMPLES/stations.cpp" -o stations
for how in '' numbers; do
    # shellcheck disable=SC2086 # no word if there is no argument
    "$REUSEDIST" run -q --attribute --caches=L1=32K --out=json -o "stations$how.json" -- ./stations 8000 $how >"totals$how"
done
cmp totals totalsnumbers
line=$(grep -o 'stations\.cpp:[0-9]*' "$EXAMPLES/../docs/guide.md" | head -1)
"$REUSEDIST" report --to=csv stations.json -o lines.csv
sed -n 2p lines.csv | grep -q "stations.cpp,${line#*:},Totals::add_by_name," && echo "line of the C++ program: True"
"$REUSEDIST" compare --out=csv --fail-if='misses@32K>0.7x' stations.json stationsnumbers.json >/dev/null
