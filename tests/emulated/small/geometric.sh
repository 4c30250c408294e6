# Checks the device steps of the engine `geometric` in plain memory, with traces of many tiles and traces
# that are shorter than a tile.
"$REUSEDIST" verify -e geometric:backend=cuda,phase=3000 -e geometric:backend=cuda,phase=100 \
    -e geometric:backend=cuda --traces=60
"$REUSEDIST" generate uniform:blocks=300,refs=30K -o trace
"$REUSEDIST" analyze -e geometric:backend=cuda,next=range:300,phase=7000 --hist=full --out=csv trace >got
"$REUSEDIST" analyze -e stack --hist=full --out=csv trace >expected
cmp got expected
