# Attribution names the planted places in programs that were built with clang, which writes less debug
# information: in programs that record themselves and in programs under Valgrind.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "built without libdw"
    exit 77
fi
sources=$(realpath "$DATA/../recorder/locality")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
profile() { # NAME [OPTION]
    "$REUSEDIST" run --attribute --caches=L1=32K,L2=1M --out=json -o profile.json "${@:2}" -- "./$1" >/dev/null
    python3 "$sources/check.py" "$sources/$1.c"
}
for name in loop_order hot_field walked_twice; do
    "$cc" -g -O1 "$sources/$name.c" -o $name
    profile $name --tool=clang
    clang -g -O1 "$sources/$name.c" -o $name
    profile $name 2>/dev/null # Valgrind 3.19 complains about debug information of clang
done
