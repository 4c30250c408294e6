# No output overwrites a profile or a model that is read.
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 9000
ln -s 1000.json link
cat *.json >before
refused() { "$REUSEDIST" predict "$@" && echo "accepted: $*" || echo $?; }
train="--train 1=1000.json --train 2=3000.json"
refused $train --model=1000.json
refused $train --model=link
refused $train --size=3 -o 3000.json
refused $train --size-of=9000.json -o 9000.json
refused $train --against=9000.json -o 9000.json
refused $train --train 9000.json --evaluate -o 9000.json
cat *.json | cmp - before
"$REUSEDIST" predict $train --model=m
cp m m.before
refused --model=m --size=3 -o m
cmp m m.before
"$REUSEDIST" predict $train --model=m # a model is replaced
