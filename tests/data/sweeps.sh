# The cases of `predict` source this file. `sweep N` makes N.json, the profile of a program that passes six
# times over N elements, and uses each element twice in a row and then one of five other elements.
sweep() {
    awk -v n="$1" 'BEGIN {
        for (round = 0; round < 6; round++)
            for (i = 0; i < n; i++) print "x" i "\nx" i "\ny" i % 5
    }' | "$REUSEDIST" analyze -q --out=json --peaks="${2:-auto}" -o "$1.json" -f text -
}
