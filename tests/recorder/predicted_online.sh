# `run --predict` runs the program without a recorder, and the program keeps its output and exit status. Its twin, a
# second process of the same program, is recorded, prints nothing, and is stopped as soon as the input size is known.
train() {
    "$REUSEDIST" run -b addr --peaks=auto --out=json -o "$1.json" -- "$PROGRAMS/rounds" "$1" 8 runs >/dev/null ||
        [ $? -eq 7 ]
}
train 3000
train 9000
train 60000
"$REUSEDIST" predict --size-from=peaks --train 3000.json --train 9000.json --model=model.json
rm runs
"$REUSEDIST" run --predict=model.json --out=json -o predicted.json -- "$PROGRAMS/rounds" 60000 8 runs 2>messages ||
    echo "exit status $?"
wc -l <runs
"$REUSEDIST" compare --fail-if="accuracy<90%" predicted.json 60000.json >/dev/null && echo accurate
grep -o "input size is [56][0-9]*" messages | sed 's/[0-9]*$//'

# The program ends before the size is known.
"$REUSEDIST" run --predict=model.json -- true || echo "exit status $?"
# A model whose sizes are not peaks is refused, because such sizes cannot be found during a run.
"$REUSEDIST" predict --train 3000.json --train 9000.json --model=by_blocks.json
"$REUSEDIST" run --predict=by_blocks.json -- true || echo "exit status $?"
"$REUSEDIST" run --predict=model.json --trace-children -- true || echo "exit status $?"
"$REUSEDIST" run --predict=none.json -- true || echo "exit status $?"
# Mistakes in the options are reported before anything is started.
rm runs
"$REUSEDIST" run --predict=model.json -e time -- "$PROGRAMS/rounds" 9 1 runs || echo "exit status $?"
"$REUSEDIST" run --predict=model.json -b 64 -- "$PROGRAMS/rounds" 9 1 runs || echo "exit status $?"
"$REUSEDIST" run --predict=model.json --bound=100 -- "$PROGRAMS/rounds" 9 1 runs || echo "exit status $?"
[ ! -e runs ]
# The engine that the paper uses for sampling also works.
"$REUSEDIST" run --predict=model.json -b addr -e absolute:c=0,b=16 --out=json -o rough.json -- "$PROGRAMS/rounds" 60000 8 runs 2>messages ||
    echo "exit status $?"
"$REUSEDIST" compare --fail-if="accuracy<90%" rough.json 60000.json >/dev/null && echo accurate
# The twin is sampled with the thresholds of the training runs.
for n in 3000 9000; do
    "$REUSEDIST" run -b addr --peaks=2K:100:1K --out=json -o $n.json -- "$PROGRAMS/rounds" $n 8 runs >/dev/null ||
        [ $? -eq 7 ]
done
"$REUSEDIST" predict --size-from=peaks --train 3000.json --train 9000.json --model=given.json
grep thresholds given.json
"$REUSEDIST" run --predict=given.json --out=json -o given-60000.json -- "$PROGRAMS/rounds" 60000 8 runs 2>messages ||
    echo "exit status $?"
"$REUSEDIST" compare --fail-if="accuracy<90%" given-60000.json 60000.json >/dev/null && echo accurate
