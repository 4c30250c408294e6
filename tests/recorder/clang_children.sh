# Without --trace-children, the compiled-in recorder records only the first program. Others are not stopped when the
# recording ends.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/clang")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
"$cc" -O1 "$sources/starter.c" -o starter
"$cc" -O1 "$sources/started.c" -o started

# stores [OPTION] -- COMMAND...: prints how many hundreds of thousands of stores are recorded.
stores() {
    "$REUSEDIST" record --tool=clang --kinds=S --to=lackey -o t "$@" 2>&1
    echo "$(($(wc -l <t) / 100000))"
}
for how in spawn vfork fork; do
    echo "$how"
    stores -- ./starter "$how" ./started
    stores --trace-children -- ./starter "$how" ./started
done
echo "started by a program that is not recorded:"
stores -- sh -c './started; ./started; ./started'

echo "still running:"
"$REUSEDIST" record --tool=clang -o t.trace -- ./starter leave ./started go >out 2>&1
touch go
for _ in $(seq 200); do
    [ ! -s out ] || break
    sleep 0.1
done
cat out
