# The top 16 bits of an address name its process only if a recorder wrote them there, so a conversion to native
# keeps the threads of a trace of another tool, with addresses from 2^48 on.
echo addr,size,kind,thread >kernel.csv
for i in 1 2 3 4; do
    printf '0xffff888000000040,8,S,%d\n' 1 2
    printf '0x7fff00000040,8,S,%d\n' 1 2
done >>kernel.csv
"$REUSEDIST" convert kernel.csv -o kernel.trace
"$REUSEDIST" convert kernel.trace -o again.trace
cmp kernel.trace again.trace
"$REUSEDIST" convert --to=native:processes=on kernel.csv -o recorded.trace
for trace in kernel.csv kernel.trace recorded.trace; do
    echo "$trace"
    "$REUSEDIST" analyze -q --stacks=private "$trace" | sed -n 's/.*one cache/one cache/p'
    "$REUSEDIST" sharing -q "$trace" | sed -n 's/^  references *//p'
done
python3 "$DATA/../../scripts/decode_trace.py" kernel.trace >decoded
wc -l <decoded
# The same without thread numbers, in lockstep.
cut -d, -f1-3 kernel.csv >plain.csv
"$REUSEDIST" convert plain.csv -o plain.trace
"$REUSEDIST" analyze --interleave=lockstep -o plain.json plain.trace
# Traces with processes are joined with traces without processes only if the command line says what the new trace has.
"$REUSEDIST" convert kernel.csv recorded.trace -o both.trace || echo "exit $?"
"$REUSEDIST" convert recorded.trace kernel.csv -o both.trace || echo "exit $?"
"$REUSEDIST" convert --to=native:processes=off kernel.csv recorded.trace -o both.trace
"$REUSEDIST" analyze -q --stacks=private both.trace | sed -n 's/.*one cache/one cache/p'
