# If there is too little memory to unpack a trace, the command says that it is out of memory, and not that the
# trace is damaged.
(ulimit -v 1000000 && "$REUSEDIST" version >/dev/null 2>&1) || { echo "needs a limit of memory"; exit 77; }
"$REUSEDIST" convert --to=native -o t.trace "$EXAMPLES/matmul-tiled.trace.xz"
pack() {
    case $1 in
    xz) cp "$EXAMPLES/matmul-tiled.trace.xz" t.xz ;;
    *) command -v "$1" >/dev/null && "$1" -q -9 <t.trace >"t.$1" ;;
    esac
}
for compression in xz zstd bzip2; do
    pack $compression || continue
    for limit in $(seq 10000 1500 100000); do
        # Below some limit, the libraries cannot be loaded.
        bash -c 'ulimit -v "$0" && "$REUSEDIST" version; exit $?' "$limit" >/dev/null 2>&1 || continue
        (ulimit -v "$limit" && "$REUSEDIST" analyze -q -o t.txt "t.$compression" 2>messages) || cat messages
    done >all
    ! grep "t.$compression" all | grep -v "unpacked data: out of memory"
    [ $compression != xz ] || grep -c "unpacked data: out of memory" all | sed 's/[1-9].*/the limit was too low for xz/'
done
