# Caches can be simulated while a program runs. The profile has the results, which differ by at most 2 %
# from a simulation of the recorded trace.
caches=L1=4K:2,L2=64K:4:policy=plru:fill=inclusive
"$REUSEDIST" run --out=json -o run.json --caches=$caches -- "$PROGRAMS/sequences" chase
python3 "$DATA/../../scripts/check_profile.py" run.json
"$REUSEDIST" record -o trace -- "$PROGRAMS/sequences" chase 2>/dev/null
"$REUSEDIST" simulate --caches=$caches --out=json trace | sed -n 's/"level"/"name"/p' >simulated
"$REUSEDIST" run -e null --out=json -o null.json --caches=$caches -- "$PROGRAMS/sequences" chase
"$REUSEDIST" run --no-causes -o - --out=json --caches=$caches -- "$PROGRAMS/sequences" chase | grep -c '"causes": false'
for name in run null; do
    python3 - $name.json simulated <<'END'
import json, sys
levels = json.load(open(sys.argv[1]))["hierarchy"]["levels"]
expected = [json.loads(line.rstrip().rstrip(",")) for line in open(sys.argv[2])]
same = all(abs(a[key] - b[key]) <= b[key] // 50 for a, b in zip(levels, expected) for key in a if key != "name")
print(len(levels), "levels", "like" if same else "unlike", "those of the recorded trace")
END
done
# With --collapse, the recorder only counts repeated references. The result is the same to every digit.
for options in "" "-e null" "--no-causes --kinds=LSI" "-b 16"; do
    for how in on off; do
        # shellcheck disable=SC2086 # several words
        env -i "$REUSEDIST" run $options --collapse=$how --out=json -o $how.json --caches=$caches -- \
            "$PROGRAMS/walk"
        grep -v '"seconds"\|"bytes"' $how.json >$how
    done
    cmp off on && grep -c '"name": "L[12]"' on
done
# Mistakes are reported before the program starts.
"$REUSEDIST" run --caches=L1=4K:3 -- touch started || echo "status $?"
"$REUSEDIST" run --collapse=on --caches=L1=4K:2:write=through -- touch started || echo "status $?"
"$REUSEDIST" run --no-causes -- touch started || echo "status $?"
ls started 2>/dev/null || true
