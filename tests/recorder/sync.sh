# Both recorders report the synchronization of two threads: mutexes, barriers, semaphores, conditions and joins.
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
sources=$DATA/../recorder/sync
command -v clang >/dev/null || { echo "there is no clang"; exit 77; }
gcc -O1 "$sources/sync.c" -o valgrind -pthread
"$tools/reusedist-cc" -O1 "$sources/sync.c" -o clang -pthread
for tool in valgrind clang; do
    "$REUSEDIST" record -q --thread --tool=$tool -o t.trace -- ./$tool >objects
    echo "$tool:"
    python3 "$sources/check_sync.py" t.trace objects
done
