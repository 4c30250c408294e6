# An unusual request is accepted and counted in a message of -v, or refused with a message that says where it is:
# sizes that are 0, negative, or at least 2^63, sums of at least 2^63, missing values, times that go backwards,
# unknown operations, and lifetimes of 0.
try() {
    { "$REUSEDIST" mrc --weight=bytes -v --sizes=100 --out=csv "$@" 2>&1 || true; } |
        sed '/ objects\?$/d; /engine objects/d; / took [0-9.]* s (/d; /^bytes,/d'
}
csv() {
    printf 'id,size,time,op,ttl\n7,1,1,set,9\n%s\n7,1,9,get,9\n' "$1" >t.csv
    echo "csv $1: $(try t.csv)"
}
csv 8,0,2,set,9
csv 8,-1,2,set,9
csv 8,9223372036854775808,2,set,9
csv 8,18446744073709551616,2,set,9
csv 8,9223372036854775807,2,set,9
csv 8,5
csv 8,,2,set,9
csv 8,5,0,set,9
csv 8,5,-2,set,9
csv 8,5,2,fly,9
csv 8,5,2,set,0
csv 8,5,2,set,-1
# Without any other lifetime, lifetimes of 0 are counted, too.
printf 'id,size,time,op,ttl\n7,1,1,set,0\n7,1,9,get,0\n' >t.csv
try t.csv
# If the file has empty lines, the line of a refused sum is not known, so the message names the request instead.
printf 'id,size\n7,4611686018427387904\n\n8,4611686018427387904\n' >t.csv
try t.csv
jsonl() {
    line() { printf '{"i": %s, "s": %s, "t": %s, "o": "%s", "l": %s}\n' "$@"; }
    { line 7 1 1 set 9; line "$@"; line 7 1 9 get 9; } >t.jsonl
    echo "jsonl $*: $(try -f jsonl:id=i,size=s,time=t,op=o,ttl=l t.jsonl)"
}
jsonl 8 0 2 set 9
jsonl 8 -1 2 set 9
jsonl 8 9223372036854775808 2 set 9
jsonl 8 18446744073709551616 2 set 9
jsonl 8 9223372036854775807 2 set 9
jsonl 8 '5, "t": 2' 3 set 9
jsonl 8 null 2 set 9
jsonl 8 5 0 set 9
jsonl 8 5 -2 set 9
jsonl 8 5 2 fly 9
jsonl 8 5 2 set 0
jsonl 8 5 2 set -1
printf '{"i": 7}\n' >t.jsonl
try -f jsonl:id=i,size=s t.jsonl
# The same requests are read from the native format, after csv has accepted them.
native() {
    printf 'id,size,time,op,ttl\n7,1,1,set,9\n%s\n7,1,9,get,9\n' "$1" >t.csv
    "$REUSEDIST" convert -q t.csv -o t.trace
    echo "native $1: $(try t.trace)"
}
native 8,0,2,set,9
native 8,9223372036854775807,2,set,9
native 8,5,0,set,9
native 8,5,2,set,0
# A record has 24 bytes: time, id, size, next request. One record has the size 0, and one a time that goes
# backwards.
oracle() {
    printf '%b\0\0\0\10\0\0\0\0\0\0\0%b\0\0\0\377\377\377\377\377\377\377\377' "\\1" "\\5" "$1" "$2" "\\11" "\\5" \
        >t.oracleGeneral
    echo "oraclegeneral: $(try -f oraclegeneral t.oracleGeneral)"
}
oracle '\2' '\0'
oracle '\0' '\5'
# A record has one byte each for id, size with a sign, time, operation (s or g) and lifetime.
binary() {
    printf '\7\1\1s\11%b\7\1\11g\11' "$1" >t.bin
    printf 'binary %s: %s\n' "$1" "$(try -f 'binary:format=<BbBBB,id=1,size=2,time=3,op=4,ttl=5' t.bin)"
}
binary '\010\0\02s\011'
binary '\010\0377\02s\011'
binary '\010\05\0s\011'
binary '\010\05\02\0115\011'
binary '\010\05\02s\0'
head -c 7 t.bin >cut.bin
try -f 'binary:format=<BbBBB,id=1,size=2' cut.bin
