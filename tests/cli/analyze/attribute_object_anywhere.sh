# --object needs an address if the file can be loaded at any address. The case is skipped in builds without libdw,
# which do not know the symbols of the file.
printf '0x401010: R 0x1000\n' >t
if "$REUSEDIST" version | grep -q 'no libdw'; then
    echo "this build has no libdw"
    exit 77
fi
"$REUSEDIST" analyze -q --attribute --object=/bin/true t >/dev/null || echo "exit $?"
"$REUSEDIST" analyze -q --attribute --object=/bin/true@0x400000 --caches=1K --out=csv t
