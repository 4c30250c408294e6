# The compiled-in recorder loses nothing when a signal handler runs between any two instructions.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/clang")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc

# check HOW: compares the recorded stores with the stores that the program counted. A jump out of a handler may
# skip a store that was already recorded.
check() {
    "$REUSEDIST" record --tool=clang --to=lackey -o t -- ./signals "$1" >sums || echo "status $?"
    nm --defined-only signals >names
    python3 - "$1" <<'END'
import collections, sys
begin = {name: int(at, 16) for at, kind, name in map(str.split, open("names")) if name in ("table", "others")}
table, others, jumps = map(int, open("sums").read().split())
stores = collections.Counter()
for line, times in collections.Counter(open("t")).items(): # millions of lines, few different ones
    if line.lstrip()[0] == "S":
        stores[int(line.split()[1].split(",")[0], 16)] += times
def recorded(name):
    return sum(stores[begin[name] + at] for at in range(8 * 4096))
print(sys.argv[1] + ":", "all" if 0 <= recorded("table") - table <= jumps else (recorded("table"), table),
      "all" if recorded("others") == others else (recorded("others"), others))
END
}

for flags in -flto -fno-lto "-flto -static"; do
    echo "$flags"
    "$cc" -O2 -no-pie $flags "$sources/signals.c" -o signals
    for how in return signal informed "other stack" jump; do
        check "$how"
    done
done
