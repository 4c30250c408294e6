# A sample that contains no block is refused: all numbers would be zero and would look measured.
"$REUSEDIST" generate cycle:blocks=50,refs=1000 -o t.trace
for command in 'analyze' 'analyze --out=csv' 'analyze --out=json' 'mrc' 'mrc --hits=50%'; do
    "$REUSEDIST" $command -e shards:rate=0.0001 t.trace || echo "$command: status $?"
done
