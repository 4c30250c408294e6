# Threads 1 and 2 use three fields together, such as a lock and its data, and thread 3 reads a fourth field of the
# block. Separating the fourth field removes all false sharing, and there is none if the field is in another block.
# The first field is named even if thread 4 has used a byte before it.
use() { # ADDRESS: address of the fourth field
    for i in $(seq 100); do
        for t in 1 2; do printf '0x48,8,S,%d\n0x50,8,S,%d\n0x60,8,S,%d\n' $t $t $t; done
        echo "$1,8,L,3"
    done
}
find_sharing() { "$REUSEDIST" sharing -q --interleave=recorded --out=csv -f csv:addr=1,size=2,kind=3,thread=4 -; }
use 0x70 | find_sharing
use 0xb0 | find_sharing
(use 0x70 && echo 0x40,1,L,4) | find_sharing
