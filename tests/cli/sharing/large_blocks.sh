# Blocks may be much larger than the data in them: memory without an owner is not searched byte by byte.
printf '0x1000,8,S,1\n0x1010,8,S,2\n0x1000,8,L,1\n' >trace
for bytes in 1T 9223372036854775808; do
    "$REUSEDIST" sharing -f csv:addr=1,size=2,kind=3,thread=4 -b $bytes --out=csv trace | cut -d, -f1-7
done
