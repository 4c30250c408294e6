# A program may release the stack of a coroutine that is still in the middle of a call.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
for flags in -flto -fno-lto; do
    "$cc" -g -O1 $flags "$DATA/../recorder/clang/coroutines.c" -o coroutines
    "$REUSEDIST" run --tool=clang --attribute -q -o t.txt -- ./coroutines || echo "status $?"
done
