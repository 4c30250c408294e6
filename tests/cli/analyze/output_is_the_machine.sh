# No output overwrites the file of --machine.
$REUSEDIST machines zen2 >mine
cp mine before
$REUSEDIST generate cycle:blocks=10,refs=100 -o t
$REUSEDIST analyze -q --out=json -o profile t
refused() { "$REUSEDIST" "$@" && echo "accepted: $*" || echo $?; }
refused analyze --machine=mine -o mine t
refused analyze --machine=./mine --report=mine t
refused analyze --machine=mine --distances=mine t
refused run --machine=mine -o mine -- true
refused simulate --machine=mine -o mine t
refused report --machine=zen2 --machine=mine -o mine profile
cmp mine before
refused record -o /dev/stdout -- true
refused compare --machine=mine --fail-if=different --junit=mine profile profile
