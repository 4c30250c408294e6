# The recorder gives exactly the references of Valgrind's lackey for the same command in the same environment.
lackey=$(dirname "$(dirname "$VALGRIND")")/libexec/valgrind/lackey-amd64-linux
[ -x "$lackey" ] || { echo "lackey is not at $lackey"; exit 77; }
cp -r "$(dirname "$REUSEDIST")/libexec" "$REUSEDIST" .
lib=$PWD/libexec/reusedist/valgrind
cp -L "$lackey" "$lib"
env -i VALGRIND_LIB="$lib" "$VALGRIND" --tool=lackey --trace-mem=yes --log-file=t.lackey -q \
    --command-line-only=yes --vgdb=no -- "$PROGRAMS/walk"
env -i "$PWD/reusedist" record --kinds=LSI -o t.trace -- "$PROGRAMS/walk"
grep -E '^( [LSM]|I )' t.lackey | sed -E 's/^ M (.*)/ L \1\n S \1/' >expected
"$REUSEDIST" convert --to=lackey t.trace >actual
cmp expected actual
for trace in t.lackey t.trace; do
    "$REUSEDIST" analyze --kinds=LS --hist=full --out=csv $trace >$trace.csv
done
cmp t.lackey.csv t.trace.csv
[ "$(wc -l <expected)" -gt 100000 ] && echo "the same"
