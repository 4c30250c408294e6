# Profiles whose distances a model cannot learn, or not together, are refused.
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
for n in 1000 2000 3000; do
    for ((i = 0; i < 3 * n; i++)); do printf '%d,%d,L\n' $((i % n * 64)) $((i / n % 2)); done >$n.csv
done
analyze() { "$REUSEDIST" analyze -q -f csv:addr=1,thread=2,kind=3 --out=json "$@"; }
for n in 1000 2000 3000; do
    analyze -o shared$n.json $n.csv
    analyze -o private$n.json --stacks=private $n.csv
    analyze -o times$n.json -e time:model=off $n.csv
    analyze -o turns$n.json --interleave=lockstep $n.csv
done
predict() { "$REUSEDIST" predict "$@" || echo $?; }
predict --train times1000.json --train times2000.json --size=3000
predict --train shared1000.json --train times2000.json --size=3000
predict --train private1000.json --train private2000.json --size=3000
predict --train shared1000.json --train private2000.json --size=3000
predict --train shared1000.json --train turns2000.json --size=3000
# The input that is predicted for a comparison must be like the training inputs.
predict --train shared1000.json --train shared2000.json --against private3000.json
predict --train shared1000.json --train shared2000.json --against turns3000.json
predict --train turns1000.json --train turns2000.json --against turns3000.json --out=csv | cut -d, -f1,2
