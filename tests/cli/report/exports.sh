# Each export has the sums of the profile: references, and misses of each cache. exports.py decodes the formats
# by itself.
cp "$DATA/profiles/contexts.json" .
python3 - <<'PYTHON'
import json
profile = json.load(open("contexts.json"))
del profile["contexts"]
profile["attribution"]["own"] = ["/home/user/words/words.cpp"]
profile["attribution"]["lines"][0]["inlined_from"] = ["/usr/include/string:9", "/home/user/words/words.cpp:41"]
profile["attribution"]["lines"][0]["inlined_functions"] = ["operator==", "lookup"]
json.dump(profile, open("lines.json", "w"))
PYTHON
for profile in contexts lines; do
    for to in callgrind pprof speedscope perfetto csv svg; do
        "$REUSEDIST" report --to=$to $profile.json -o $profile.$to
        python3 "$DATA/../cli/report/exports.py" $to $profile.json $profile.$to
    done
done
grep '^calls=2' contexts.callgrind # each with the smallest line of the called function
if command -v callgrind_annotate >/dev/null; then
    callgrind_annotate contexts.callgrind | grep -q '^420 (100.0%) 1,000 (100.0%) 210 (100.0%)  PROGRAM TOTALS'
fi
for cache in L1 L2 references; do
    "$REUSEDIST" report --to=callgrind --cache=$cache contexts.json -o chosen.callgrind
    grep '^events:' chosen.callgrind
    python3 "$DATA/../cli/report/exports.py" callgrind contexts.json chosen.callgrind
done
grep -o '(whole run): 420 L1 misses, 100.00 %' contexts.svg
"$REUSEDIST" report --to=svg --cache=L2 "$DATA/profiles/contexts.json" | grep -o 'L2 misses by call: 210'
sed -n 2p contexts.csv
sed -n 2p lines.csv
