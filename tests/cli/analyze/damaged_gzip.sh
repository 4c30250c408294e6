# A flipped bit, in the data or in the checksum, is always detected.
seq 1 5000 > trace.txt
gzip -9 -c trace.txt > good.gz
"$REUSEDIST" analyze -q --out=csv --hist=full good.gz | tail -1
size=$(stat -c %s good.gz)
for at in $((size / 2)) $((size - 6)) $((size - 2)); do
    cp good.gz bad.gz
    byte=$(od -An -tu1 -j "$at" -N 1 bad.gz)
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of=bad.gz bs=1 seek="$at" conv=notrunc status=none
    "$REUSEDIST" analyze -q --out=csv bad.gz 2> message && echo "passed unseen: byte $at"
    grep -c 'bad.gz: byte [0-9]* of the unpacked data: the gzip data is damaged' message
done
head -c $((size - 3)) good.gz > short.gz
"$REUSEDIST" analyze -q --out=csv short.gz 2> message && echo "passed unseen: truncation"
grep -c 'ends too early' message
cat good.gz good.gz > two.gz
"$REUSEDIST" analyze -q --out=csv --hist=full two.gz
{ cat good.gz; echo rubbish; } > more.gz
"$REUSEDIST" analyze -q --out=csv more.gz 2> message && echo "passed unseen: rubbish"
grep -c 'the gzip data is damaged' message
