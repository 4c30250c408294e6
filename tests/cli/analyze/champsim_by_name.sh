# A ChampSim trace without branches is recognized by its name and the structure of its records.
record() { printf '\x10\x10\x40\0\0\0\0\0'; head -c 24 /dev/zero; printf '\0\0\x60\0\0\0\0\0'; head -c 24 /dev/zero; }
for _ in 1 2 3 4 5 6 7 8; do record; done >t
cp t t.champsimtrace
xz -k t.champsimtrace
gzip -k t.champsimtrace
printf '1\n2\n' >text.champsimtrace
for file in t t.champsimtrace t.champsimtrace.xz t.champsimtrace.gz text.champsimtrace; do
    "$REUSEDIST" analyze --out=json "$file" | sed -n 's/.*"format": "\([a-z0-9]*\)".*/\1/p'
done
