# Checks the device steps of the engine `levels` in plain memory, with traces of many tiles and traces
# that are shorter than a tile.
"$REUSEDIST" verify -e levels:backend=cuda,phase=7000 -e levels:backend=cuda,phase=100 \
    -e levels:backend=cuda,C=5 --traces=40
"$REUSEDIST" generate zipf:blocks=300,refs=30K -o trace
"$REUSEDIST" analyze -e levels:backend=cuda,compact=off --bound=100 --hist=full --out=csv trace >got
"$REUSEDIST" analyze -e stack --bound=100 --hist=full --out=csv trace >expected
cmp got expected
