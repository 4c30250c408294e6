# The code of a program without symbols is shown as addresses in its file, like in objdump, and the report says
# what is missing.
for tool in strip addr2line; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
strip -o stripped "$PROGRAMS/locality/loop_order"
"$REUSEDIST" run -q --attribute --caches=L1=32K -o report -- ./stripped >/dev/null
address=$(sed -n '/^Lines/,/^$/s/^  \(0x[0-9a-f]*\) in stripped .*/\1/p' report | head -1)
addr2line -f -s -e "$PROGRAMS/locality/loop_order" "$address" | sed 's/:.*//'
tr '\n' ' ' <report | grep -o 'There is no debug.*file\.'
# A long name is cut in its middle, but not the size after it.
COLUMNS=60 "$REUSEDIST" run -q --attribute --caches=L1=32K --ascii -o - -- "$PROGRAMS/locality/loop_order" |
    sed -n '/^Data/,/^$/s/  heap.* \([0-9.]* .iB\) .*/\1/p' | head -1
