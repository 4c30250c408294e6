# The recorders work in a folder whose name has spaces and other characters that the shell, the linker or the
# dynamic loader could take for the end of a path.
folder='a b,c:d*$e'
mkdir -p "$folder/libexec"
cp -a "$(dirname "$REUSEDIST")/libexec/reusedist" "$folder/libexec"
cp "$REUSEDIST" "$folder/reusedist"

echo "Valgrind"
"$folder/reusedist" run -q --out=json -o t.json -- true || echo "status $?"
grep -q '"references": [1-9]' t.json && echo "references"

command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
echo 'int cells[1000]; int main(void) { for (int i = 0; i < 1000; i++) cells[i] += i; }' >"the program.c"
for lto in "" -fno-lto; do
    echo "reusedist-cc $lto"
    "$folder/libexec/reusedist/clang/reusedist-cc" $lto -O0 -c "the program.c" -o "the program.o"
    "$folder/libexec/reusedist/clang/reusedist-cc" $lto -O1 "the program.o" -o program
    "$folder/reusedist" run --tool=clang -q --out=json -o t.json -- ./program || echo "status $?"
    grep -q '"references": [1-9]' t.json && echo "references"
done
