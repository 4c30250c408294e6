. "$DATA/sweeps.sh"; sweep 1000
wrong() { "$REUSEDIST" corun "$@" || echo $?; }
wrong 1000.json
wrong --sizes=1M 1000.json
wrong --sizes=100 --rate=1 1000.json 1000.json
wrong --sizes=100 --rate=1,-2 1000.json 1000.json
wrong --sizes=100 --rate=1, 1000.json 1000.json
wrong --sizes=100 --rate=1,2,3 1000.json 1000.json
wrong --sizes=100 --among=2 --ways=4 1000.json 1000.json
wrong --sizes=100 --ways=1 1000.json 1000.json
wrong --sizes=101 --ways=4 1000.json 1000.json
wrong --sizes=100 -o 1000.json 1000.json 1000.json
wrong --sizes=100 1000.json "$DATA/profiles/exact.json"
wrong --sizes=100 none.json
wrong
