# Runs of different lengths are compared by their miss ratios, and then by their numbers of misses.
make() { # NAME GENERATOR
    "$REUSEDIST" generate "$2" -o t
    "$REUSEDIST" analyze -q --out=json -o "$1.json" t
}
change() { "$REUSEDIST" compare "$@" | sed -n '4,/^$/p'; }
# A longer run has more misses, although each cache misses as often or less often.
make short zipf:blocks=4K,refs=100K
make long zipf:blocks=4K,refs=300K
change short.json long.json
# The second run references its only block once more, which is a hit.
printf '1\n' >t; "$REUSEDIST" analyze -q -f text --out=json -o once.json t
printf '1\n1\n' >t; "$REUSEDIST" analyze -q -f text --out=json -o twice.json t
change once.json twice.json
# A run with fewer references and the same misses has a higher miss ratio. The report says both.
seq 2000 >t; "$REUSEDIST" analyze -q -f text --out=json -o less.json t
for i in $(seq 2000); do echo "$i"; echo "$i"; echo "$i"; done >t; "$REUSEDIST" analyze -q -f text --out=json -o more.json t
change more.json less.json
# The numbers of misses are compared if the lengths differ by 0.6 %.
make almost zipf:blocks=4K,refs=103000
change short.json almost.json
