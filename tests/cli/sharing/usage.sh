# The command refuses a trace without threads, kinds or stores, and a profile without shared data.
echo '0x40,8,S,1' >trace
columns=csv:addr=1,size=2,kind=3,thread=4
try() { "$REUSEDIST" "$@" || echo "exit status $?"; }
try sharing
try sharing -f csv:addr=1,kind=3 trace
try sharing -f csv:addr=1,thread=4 trace
try sharing -f $columns --kinds=L trace
try sharing -f $columns trace
"$REUSEDIST" analyze -f $columns --out=json -o shared.json trace
try sharing shared.json
try sharing shared.json shared.json
try sharing -b 64 shared.json
try sharing missing
try sharin trace
