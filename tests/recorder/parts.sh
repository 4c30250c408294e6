# Functions and markers start and stop recording. The program has 400 stores, 100 in each of four calls of
# fill().
words=$((16#$(nm "$PROGRAMS/marked" | awk '$3 == "words" {print $1}')))
count() {
    "$REUSEDIST" record --kinds=S --to=u64 -o t "$@" 2>messages
    grep -v 'format u64' messages | sed 's/^==[0-9]*== //' || true
    od -An -v -tu8 -w8 t | awk -v words="$words" '$1 >= words && $1 < words + 800' | wc -l
}
count -- "$PROGRAMS/marked" markers                 # all but the last call, which follows the stop marker
count --paused -- "$PROGRAMS/marked" markers        # between the markers
count --inside=fill -- "$PROGRAMS/marked" plain  # in every call
count --inside='f?l*' -- "$PROGRAMS/marked" plain
count --start=second -- "$PROGRAMS/marked" plain # from the second call on
count --start=second --stop=third -- "$PROGRAMS/marked" plain
count --stop=second -- "$PROGRAMS/marked" plain
count --inside=fill --start=fill --stop=fill -- "$PROGRAMS/marked" plain # --inside has precedence
count --inside=nobody -- "$PROGRAMS/marked" plain
