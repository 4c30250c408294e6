# A program that was built with reusedist-cc records libraries that it loads with dlopen(), whether the hooks are
# inlined or called. A program without the recorder cannot load them, and a message says why.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/events")
tools=$(dirname "$REUSEDIST")/libexec/reusedist/clang
for lto in "" -fno-lto; do
    "$tools/reusedist-cc" $lto -g -O1 -shared -fPIC "$sources/plugin.c" -o plugin.so
    "$tools/reusedist-cc" $lto -g -O1 "$sources/host.c" -o host -ldl
    ./host ./plugin.so && echo "it runs by itself"
    "$REUSEDIST" run --tool=clang --attribute -q --out=json -o t.json -- ./host ./plugin.so
    python3 - t.json <<'PYTHON'
import json, sys
profile = json.load(open(sys.argv[1]))
for f in profile["attribution"]["functions"]:
    if f["name"] == "walk":
        print(f["name"], "in", f["module"], "has", f["references"], "references")
PYTHON
done
clang -g -O1 "$sources/host.c" -o host -ldl
"$REUSEDIST" run --tool=clang -- ./host ./plugin.so 2>messages || echo "status $?"
sed 's/cov_[a-z0-9]*/cov_.../' messages
