# The analysis reads the source files of the code that it names, so no output may overwrite one of them.
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "names of source files need libdw"
    exit 77
fi
echo 'int main(void) { return 0; }' >prog.c
cc -g -no-pie -o prog prog.c
cp prog.c before
printf '0x%s: R 0x1000\n' "$(nm prog | awk '$3 == "main" { print $1 }')" >t
refused() { "$REUSEDIST" "$@" >/dev/null && echo "accepted: $*" || echo $?; }
refused analyze -q --attribute --object=prog -o prog.c t
refused analyze -q --attribute --object=prog --report=prog.c t
refused analyze -q --attribute --object=prog --distances=prog.c t
cmp prog.c before
# A file that --own names is refused before the analysis begins.
echo 'main.c' >own
cp own before
"$REUSEDIST" analyze -q --attribute --object=prog --out=json -o profile t
refused analyze --attribute --own=own -o own nosuch
refused run --attribute --own=prog.c --own=own --report=own -- true
refused report --own=own profile -o own
refused annotate --own=own profile -o own
cmp own before
