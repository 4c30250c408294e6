# The compiled-in recorder records the same references however a program is built.
command -v clang >/dev/null || { echo "clang is not installed"; exit 77; }
command -v "$(clang -print-prog-name=ld.lld)" >/dev/null || { echo "lld is not installed"; exit 77; }
sources=$(realpath "$DATA/../recorder/clang")
cc=$(dirname "$REUSEDIST")/libexec/reusedist/clang/reusedist-cc

# references HOW: prints the kinds and sizes of the references of ./program, and their source lines.
references() {
    env -i "$REUSEDIST" record --tool=clang --to=lackey -o t -- ./program
    tr -s ' ,' ' ' <t | cut -d' ' -f2,4 >"$1.refs"
    env -i "$REUSEDIST" record --tool=clang --pc -o t.trace -- ./program
    python3 "$DATA/../../scripts/decode_trace.py" t.trace | awk '$1 != "event" {print $4}' |
        addr2line -s -e program | sort | uniq -c | sed 's/ (discriminator.*//' >"$1.lines"
    cmp calls.refs "$1.refs" && diff calls.lines "$1.lines" && echo "$1: the same"
}

# At each optimization level, hooks are called, or inlined at link time.
for level in -O0 -O2 -O1; do
    flags="-g $level -no-pie"
    echo "$level:"
    "$cc" $flags -fno-lto "$sources"/{table,sum}.c -o program && references calls
    sort calls.refs | uniq -c
    "$cc" $flags "$sources"/{table,sum}.c -o program && references together
    objdump -d program >code
    if grep -q 'call.*__sanitizer_cov' code; then echo "hooks are called"; else echo "hooks are inlined"; fi
done

# The program with the last optimization level is also linked in all other ways.
"$cc" $flags -flto=thin -fuse-ld=bfd "$sources"/{table,sum}.c -o program && references overruled
REUSEDIST_LTO=off "$cc" $flags "$sources"/{table,sum}.c -o program && references off
"$cc" $flags -c "$sources"/{table,sum}.c
"$cc" $flags table.o sum.o -o program && references separate
rm -f sum.a && ar rcs sum.a sum.o
"$cc" $flags table.o sum.a -o program && references archive
"$cc" -r table.o sum.o -o both.o
"$cc" $flags both.o -o program && references relocatable
"$cc" $flags -fno-lto -c "$sources/sum.c"
"$cc" $flags table.o sum.o -o program && references mixed
"$cc" $flags -S "$sources/sum.c" && "$cc" $flags -c sum.s
"$cc" $flags table.o sum.o -o program && references assembled

# same NAME COMPILER ARGUMENT...: builds a program with and without link-time optimization, and checks that the
# references are the same.
same() {
    local name=$1 how
    for how in -flto -fno-lto; do
        "${@:2}" $how -o program || return
        env -i "$REUSEDIST" record --tool=clang --to=lackey -o t -- ./program
        tr -s ' ,' ' ' <t | cut -d' ' -f2,4 >"kinds$how"
    done
    [ "$(wc -l <kinds-flto)" -gt 100000 ] && cmp kinds-flto kinds-fno-lto && echo "$name: the same"
}

echo "around what changes no memory:"
for level in -O1 -O2 -O3; do
    same "C $level" "$cc" $level "$sources"/{reader,pure}.c
done
same "C++ -O2" "$cc" -O2 -x c++ "$sources"/{reader,pure}.c
same "its library, -O2" "${cc%cc}c++" -O2 "$sources/library.cc"
