. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 9000
"$REUSEDIST" predict --train 1000.json --train 3000.json --model=model.json
"$REUSEDIST" predict --model=model.json --size=9005 --out=json -o from_model.json
"$REUSEDIST" predict --train 1000.json --train 3000.json --size-of=9000.json --out=json -o direct.json
cmp from_model.json direct.json
"$REUSEDIST" compare from_model.json 9000.json --fail-if="accuracy<99%" >/dev/null
