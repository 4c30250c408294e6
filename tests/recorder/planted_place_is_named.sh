# In three programs with a planted locality problem, the first line, pair and data of the attribution are the
# planted ones. This holds live and from a trace, however the program was built.
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
    # shellcheck disable=SC2086
    "$REUSEDIST" run $profile -- ./$name >/dev/null
    check $name
    "$REUSEDIST" record --attribute -o t.trace -- ./$name >/dev/null
    # shellcheck disable=SC2086
    "$REUSEDIST" analyze $profile t.trace
    check $name
done

echo "not optimized, at fixed addresses:"
cc -g -O0 -no-pie loop_order.c -o loop_order
# shellcheck disable=SC2086
"$REUSEDIST" run $profile -- ./loop_order >/dev/null
check loop_order

echo "in a library, inlined:"
cc -g -O2 -fno-tree-vectorize -shared -fPIC -Dmain=library_main hot_field.c -o libhot.so
echo 'int library_main(void); int main(void) { return library_main(); }' >main.c
cc main.c -o main ./libhot.so
# shellcheck disable=SC2086
"$REUSEDIST" run $profile -- ./main >/dev/null
check hot_field
python3 - <<'PYTHON'
import json
a = json.load(open("profile.json"))["attribution"]
print(a["functions"][0]["name"], a["functions"][0]["module"],
      [call.split("/")[-1] for call in a["lines"][0]["inlined_from"]])
PYTHON

echo "debug information in a file of its own:"
cc -g -O1 loop_order.c -o loop_order
objcopy --only-keep-debug loop_order loop_order.debug
strip loop_order
objcopy --add-gnu-debuglink=loop_order.debug loop_order
# shellcheck disable=SC2086
"$REUSEDIST" run $profile -- ./loop_order >/dev/null
check loop_order

echo "without any: the function at least"
cc -O0 loop_order.c -o loop_order
# shellcheck disable=SC2086
"$REUSEDIST" run $profile -- ./loop_order >/dev/null
python3 -c 'import json; a = json.load(open("profile.json"))["attribution"]
print(a["functions"][0]["name"], a["functions"][0]["module"], a["lines"][0]["line"])'
