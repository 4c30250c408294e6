# Attribution names the planted place however the program was built: not optimized, inlined in a library, with
# debug information in a file of its own, or without any.
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "built without libdw"
    exit 77
fi
sources=$(realpath "$DATA/../recorder/locality")
cp "$sources"/{loop_order,hot_field}.c .
profile() { # COMMAND
    "$REUSEDIST" run --attribute --caches=L1=32K,L2=1M --out=json -o profile.json -- "$1" >/dev/null
    "$DATA"/../../scripts/check_profile.py profile.json
}
check() { # NAME COMMAND: runs the program, and checks the places in its profile
    profile "$2"
    python3 "$sources/check.py" "$sources/$1.c"
}

echo "not optimized, at fixed addresses:"
cc -g -O0 -no-pie loop_order.c -o loop_order
check loop_order ./loop_order

echo "in a library, inlined:"
cc -g -O2 -fno-tree-vectorize -shared -fPIC -Dmain=library_main hot_field.c -o libhot.so
echo 'int library_main(void); int main(void) { return library_main(); }' >main.c
cc main.c -o main ./libhot.so
check hot_field ./main
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
check loop_order ./loop_order

echo "without any: the function at least"
cc -O0 loop_order.c -o loop_order
profile ./loop_order
python3 -c 'import json; a = json.load(open("profile.json"))["attribution"]
print(a["functions"][0]["name"], a["functions"][0]["module"], a["lines"][0]["line"])'
