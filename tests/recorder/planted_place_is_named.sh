# In three programs with a planted locality problem, the first line, pair and data of the attribution are the
# planted ones, live and from a trace.
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "built without libdw"
    exit 77
fi
sources=$(realpath "$DATA/../recorder/locality")
profile="--attribute --caches=L1=32K,L2=1M --out=json -o profile.json"
check() { # NAME: of the program in profile.json
    "$DATA"/../../scripts/check_profile.py profile.json
    python3 "$sources/check.py" "$sources/$1.c"
}
for name in loop_order hot_field walked_twice; do
    cp "$sources/$name.c" .
    cc -g -O1 $name.c -o $name
    # shellcheck disable=SC2086 # several words
    "$REUSEDIST" run $profile -- ./$name >/dev/null
    check $name
    "$REUSEDIST" record --attribute -o t.trace -- ./$name >/dev/null
    # shellcheck disable=SC2086 # several words
    "$REUSEDIST" analyze $profile t.trace
    check $name
done
