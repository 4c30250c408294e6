# The page says how far apart the reuses of the line with the most misses are, and what to change where the facts
# of the profile support it.
say() { # TITLE PYTHON: changes a profile `p` of two lines and one data region
    echo "== $1"
    python3 - "$2" <<'PYTHON'
import json, sys
def share(cold, near, far):
    rows = [row for row in ([0, 0, near], [1024, 2047, far]) if row[2]]
    return {"references": cold + near + far, "infinite": cold, "distance_sum": 1500 * far, "misses": [cold + far],
            "bins": rows}
line = {"source": 0, "function": 0, "inlined_from": [], "inlined_functions": [], "text": None}
a = {"cost": {"seconds": 0, "bytes": 0, "dropped_pairs": 0}, "sources": ["/home/user/a.c"],
     "functions": [{"name": "f", "source": 0, "line": 1, "module": "a", **share(10, 1090, 900)}],
     "lines": [{**line, "line": 7, **share(0, 100, 900)}, {**line, "line": 9, **share(10, 990, 0)}],
     "pairs": [{"use": 0, "reuse": 0, "count": 950, "distance_sum": 1350000, "misses": [900]},
               {"use": 0, "reuse": 1, "count": 990, "distance_sum": 0, "misses": [0]},
               {"use": 1, "reuse": 0, "count": 50, "distance_sum": 0, "misses": [0]}],
     "data": [{"kind": "heap", "name": "g", "line": None, "bytes": 65536, "blocks": 10, "words_used": 0.2,
               **share(10, 1090, 900)}],
     "line_data": [{"line": 0, "data": 0, "misses": [900]}], "snippets": []}
p = {"schema": "reusedist.profile/1.3", "tool": "reusedist 0.1.0", "references": 2000, "blocks": 10, "cold": 10,
     "infinite": 10, "block_bytes": 64, "kinds": "LS", "bound": None, "engine": {"name": "auto", "options": ""},
     "exact": True, "error": {"kind": "exact", "bound": 0}, "binning": "log", "sums_known": True, "partial": False,
     "skipped": 0, "seconds": 0, "sources": [], "levels": [{"name": "L1", "bytes": 32768}], "attribution": a,
     "spatial": {"word_bytes": 8, "blocks_loaded": 10, "words_used": 40, "levels": [{"fetched": 910, "words": 1000}]},
     "histogram": [[0, 0, 1090, 0], [1024, 2047, 900, 1350000]]}
exec(sys.argv[1])
json.dump(p, open("p.json", "w"))
PYTHON
    "$REUSEDIST" report -o p.html p.json
    grep -o '"line_words":\[\[[^]]*\]\]' p.html | sed 's/","/",\n  "/'
}
say "one line runs across memory" pass
say "most words are used" 'p["spatial"]["levels"][0]["words"] = 6000'
say "its distances are spread, as in a search" '
row = a["lines"][0]
row["bins"] = [[0, 0, 100], [512, 1023, 300], [1024, 2047, 300], [4096, 8191, 300]]
for other in a["functions"] + a["data"]:
    other["bins"] = [[0, 0, 1090], [512, 1023, 300], [1024, 2047, 300], [4096, 8191, 300]]
for each in [row, *a["functions"], *a["data"]]:
    each["distance_sum"] = 2400000
p["histogram"] = [[0, 0, 1090, 0], [512, 1023, 300, 200000], [1024, 2047, 300, 400000], [4096, 8191, 300, 1800000]]'
say "no line numbers" 'a["lines"][0].update(source=None, line=0)'
pass_over='a["pairs"][0].update(count=50, misses=[0]); a["pairs"][2].update(count=950, misses=[900])'
say "two lines of one loop" "$pass_over"
say "two passes" "$pass_over; a['pairs'][1]['use'] = 1"
say "one line in two functions" '
a["functions"] = [{**a["functions"][0], **share(10, 1040, 450)}, {**a["functions"][0], "name": "g", **share(0, 50, 450)}]
a["lines"] = [{**line, "line": 7, "function": i, **share(0, 50, 450)} for i in (0, 1)] + a["lines"][1:]
a["pairs"] = [{"use": i, "reuse": i, "count": 475, "distance_sum": 675000, "misses": [450]} for i in (0, 1)] + [
    {**a["pairs"][1], "reuse": 2}, {**a["pairs"][2], "use": 2}]
a["line_data"] = [{"line": i, "data": 0, "misses": [450]} for i in (0, 1)]'
say "a small global variable" "$pass_over; a['data'][0].update(kind='global', bytes=16384)"
say "many lines use one field" '
a["lines"] = [{**line, "line": 10 + i, **share(10 if i == 3 else 0, 274 if i == 3 else 272, 225)} for i in range(4)]
a["pairs"] = [{"use": i, "reuse": (i + 1) % 4, "count": 499 if i == 2 else 497, "distance_sum": 337500, "misses": [225]}
              for i in range(4)]
a["line_data"] = [{"line": i, "data": 0, "misses": [225]} for i in range(4)]'
say "first touches only" '
for rows in a["functions"], a["lines"], a["data"]:
    rows[0].update(share(10, rows[0]["references"] - 10, 0))
a["lines"][0].update(share(0, 1000, 0))
for pair in a["pairs"]:
    pair["misses"] = [0]
a["line_data"] = []
p["spatial"]["levels"][0]["fetched"] = 10
p["spatial"]["levels"][0]["words"] = 40
p["histogram"] = [[0, 0, 1990, 0]]'
