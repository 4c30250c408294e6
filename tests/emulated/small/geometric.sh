# The geometric engine's steps for a device, in plain memory; phases of many tiles and of parts of one.
"$REUSEDIST" verify -e geometric:backend=cuda,phase=3000 -e geometric:backend=cuda,phase=100 \
    -e geometric:backend=cuda --traces=60
"$REUSEDIST" generate uniform:blocks=300,refs=30K -o trace
"$REUSEDIST" analyze -e geometric:backend=cuda,next=range:300,phase=7000 --hist=full --out=csv trace >got
"$REUSEDIST" analyze -e stack --hist=full --out=csv trace >expected
cmp got expected
