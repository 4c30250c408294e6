# Children that fork() makes at any moment can use semaphores, whether they are recorded or not. Children that
# _Fork() makes, which calls no handlers, are not recorded, or in buffers of their own. A child has the modules of its
# parent, also if another thread had a lock of the dynamic loader.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/clang")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$sources/forks.c" -o forks -pthread
for option in "" --trace-children; do
    timeout 60 "$REUSEDIST" record --tool=clang --thread $option -q -o t.trace -- ./forks || echo "status $?"
done
for option in "" --trace-children; do
    "$REUSEDIST" record --tool=clang --kinds=S --to=lackey $option -o t -- ./forks plainly 2>&1
    echo "$(($(wc -l <t) / 10000)) times 10,000 stores"
done
timeout 60 "$REUSEDIST" record --tool=clang --trace-children --attribute -q -o t.trace -- ./forks loading ||
    echo "status $?"
python3 "$DATA/../../scripts/decode_trace.py" t.trace | grep -c '^event module .*/forks$'
