# Both recorders report every way to join a thread.
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
sources=$DATA/../recorder/sync
command -v clang >/dev/null || { echo "there is no clang"; exit 77; }
gcc -O1 "$sources/joins.c" -o valgrind -pthread
"$tools/reusedist-cc" -O1 "$sources/joins.c" -o clang -pthread
for tool in valgrind clang; do
    "$REUSEDIST" record -q --thread --tool=$tool -o t.trace -- ./$tool >objects
    echo "$tool:" $(python3 "$sources/check_joins.py" t.trace objects)
done
