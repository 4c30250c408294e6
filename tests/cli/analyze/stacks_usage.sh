# --stacks=private is refused for traces without threads, kinds or stores, and together with options that it
# does not support.
echo '0x40,8,S,1' >trace
columns=csv:addr=1,size=2,kind=3,thread=4
try() { "$REUSEDIST" analyze --stacks=private "$@" trace || echo "exit status $?"; }
try
try -f csv:addr=1,kind=3
try -f csv:addr=1,thread=4
try -f $columns --kinds=L
try -f $columns -e stack
try -f $columns --bound=8
try -f $columns --peaks=auto
try -f $columns --checkpoint=file
try -f csv:id=1 --weight=bytes
"$REUSEDIST" analyze -f $columns --out=json -o shared.json trace
"$REUSEDIST" analyze --stacks=private -f $columns --out=json -o private.json trace
"$REUSEDIST" merge shared.json private.json || echo "exit status $?"
"$REUSEDIST" run --stacks=private --predict=model -- true || echo "exit status $?"
"$REUSEDIST" run --stacks=private --collapse=on -- true || echo "exit status $?"
