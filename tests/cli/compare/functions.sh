# compare lists the functions whose misses change most, and finds equal functions by their names. The sentences
# about the caches for which the profiles were made come first.
python3 - "$DATA/profiles/contexts.json" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
del p["contexts"]
json.dump(p, open("before.json", "w"))
a = p["attribution"]
a["functions"][1].update(name="report_all", misses=[75, 75])  # a new name and a function that is gone
a["functions"][0].update(misses=[140, 80], bins=[[2, 3, 260], [512, 1023, 60], [32768, 65535, 50]], distance_sum=2063600)
a["lines"][0].update(misses=[140, 80], bins=a["functions"][0]["bins"], distance_sum=2063600)
a["data"][0].update(misses=[280, 130], bins=[[1, 1, 80], [2, 3, 260], [512, 1023, 150], [32768, 65535, 50]],
                    distance_sum=2144680)
p["histogram"] = [[0, 0, 230, 0], [1, 1, 130, 130], [2, 3, 280, 840], [512, 1023, 150, 135000], [32768, 65535, 120, 4800000]]
json.dump(p, open("after.json", "w"))
PYTHON
"$REUSEDIST" compare before.json after.json | sed -n '3,/^identical/p'
"$REUSEDIST" compare --out=csv before.json after.json | wc -l
"$REUSEDIST" compare before.json before.json | grep -c functions || true
