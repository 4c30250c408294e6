# Programs with resolvers of indirect functions run with and without an analyzer, and their references are recorded from
# the beginning of main() on.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc
for flags in -flto -fno-lto; do
    echo "$flags"
    "$cc" -O1 $flags "$DATA/../recorder/clang/resolver.c" -o resolver
    ./resolver || echo "status $?"
    "$REUSEDIST" record --tool=clang --to=lackey -o t -- ./resolver || echo "status $?"
    wc -l <t
done
