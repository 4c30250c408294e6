# Threads that are canceled asynchronously, at any instruction, leave a complete recording.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/clang")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
for flags in -flto -fno-lto; do
    echo "$flags"
    "$cc" -O1 $flags "$sources/canceled.c" -o canceled -pthread
    for options in "" "" "" "--attribute --burst=100:100000"; do
        "$REUSEDIST" run --tool=clang $options --out=json -o t.json -- ./canceled 2>notes || echo "status $?"
        grep 'damaged\|stopping' notes || true
        grep '"partial"' t.json || true
    done
done
