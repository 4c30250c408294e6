# A profile without the peak that the model takes as the input size gets a row without an accuracy, and a message.
# All other profiles are predicted.
. "$DATA/sweeps.sh"
for n in 1000 3000 9000 20000; do
    sweep $n
    sed "s/^  \"histogram\"/  \"peaks\": [[1, 1, $n, 100]],\n&/" $n.json >peak-$n.json
done
set -- predict --size-from=peaks --train peak-1000.json --train peak-3000.json
"$REUSEDIST" "$@" --against peak-20000.json
"$REUSEDIST" "$@" --against 9000.json || echo $?
"$REUSEDIST" "$@" --against 9000.json --out=csv -o rows.csv || cat rows.csv
"$REUSEDIST" "$@" --train peak-9000.json --train 20000.json --evaluate || echo $?
