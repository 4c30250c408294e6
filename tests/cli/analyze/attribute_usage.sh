# Options that need --attribute, and invalid caches and files, are reported.
printf '0x401010: R 0x1000\n' >t
for options in --caches=1K --windows=8 --spatial --object=t "--attribute --caches=x" "--attribute --windows=1" \
    "--attribute --windows=513" "--attribute --object=missing" "--attribute --object=t@0x1000" \
    "--attribute -e chunks" "--attribute -e khw" "--attribute -e null" "--attribute --bound=10 --caches=1M"; do
    # shellcheck disable=SC2086 # several words
    "$REUSEDIST" analyze $options t >/dev/null || echo "exit $?"
done
"$REUSEDIST" analyze --attribute --bound=10 --out=json -q t | grep '"levels"'
printf '1\n2\n1\n' >ids # a message says that this trace has no program counters
"$REUSEDIST" analyze --attribute --caches=1 -f text --out=csv ids
