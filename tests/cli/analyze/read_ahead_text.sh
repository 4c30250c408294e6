# If several threads read a text file ahead, the result is the same as with one reader: plain and compressed, with
# numbers and names, and with damage in a line or in the compressed data.
"$REUSEDIST" generate -q zipf:blocks=5000,refs=200000 --to=text -o ids
awk 'BEGIN { print "id,size,time" } { print $1 "," NR % 777 "," int(NR / 10) }' ids >t.csv
sed 's/^0x/name-/' t.csv >names.csv
awk 'NR == 150000 { print "1,x,2"; next } { print }' t.csv >damaged.csv
zstd -q t.csv
head -c $(($(wc -c <t.csv.zst) * 3 / 4)) t.csv.zst >cut.csv.zst
same() {
    for threads in 1 3; do
        { "$REUSEDIST" "$@" -q -t $threads 2>&1 || echo "exit $?"; } | cksum
    done | uniq | wc -l
}
for file in t.csv names.csv damaged.csv t.csv.zst cut.csv.zst; do
    same analyze --out=csv --partial $file
    same mrc --weight=bytes --out=csv $file
done
"$REUSEDIST" analyze -q -t 3 damaged.csv || echo "exit $?"
