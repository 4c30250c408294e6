# Threads 1 and 2 store to fields of one block, which is false sharing. Thread 3 reads what thread 1 stored to
# another block, which is true sharing. Blocks of 8 bytes, and blocks that are single
# addresses, have no false sharing.
for i in 1 2 3 4 5; do
    printf '0x1000,8,S,1\n0x1010,8,S,2\n0x2000,4,S,1\n0x2000,4,L,3\n'
done >trace
echo '0x3000,8,L,1' >>trace
columns=csv:addr=1,size=2,kind=3,thread=4
"$REUSEDIST" sharing -f $columns trace
"$REUSEDIST" sharing -f $columns --out=csv trace
"$REUSEDIST" sharing -f $columns --out=json -o sharing.json trace
grep -c '"schema": "reusedist.sharing/1"' sharing.json
"$REUSEDIST" sharing -f $columns -b 8 --out=csv trace
"$REUSEDIST" sharing -f $columns -b addr --out=csv - <trace
