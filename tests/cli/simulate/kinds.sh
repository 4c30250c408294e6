# Instruction fetches go to L1I, loads and stores to L1D, and an access that spans two blocks goes to both.
printf '%s\n' 'I  1000,4' ' L 103e,8' 'I  1004,4' ' S 2000,8' ' M 2040,8' >trace
"$REUSEDIST" simulate --caches=L1I=512:2,L1D=1K:2,L2=4K:4 --out=csv trace
"$REUSEDIST" simulate --caches=L1D=1K:2,L1I=512:2,L2=4K:4 --out=csv trace
"$REUSEDIST" simulate --kinds=LS --caches=L1I=512:2,L1D=1K:2,L2=4K:4 --out=csv trace
# Without a common cache, the misses of L1I and of L1D both reach memory.
"$REUSEDIST" simulate --caches=L1I=512:2,L1D=1K:2 trace | grep memory
"$REUSEDIST" simulate --caches=L1D=1K:2,L1I=512:2 trace | grep memory
printf '%s\n' 0x40,8,I,1 0x1000,8,S,1 0x1000,8,L,2 0x1080,8,L,2 >threads
"$REUSEDIST" simulate --stacks=private -f csv:addr=1,size=2,kind=3,thread=4 --caches=L1I=512:2,L1D=1K:2 threads |
    grep memory
