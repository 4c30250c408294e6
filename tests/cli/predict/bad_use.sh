. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
"$REUSEDIST" predict --train 1000.json --size=7 || echo $?
"$REUSEDIST" predict --train 5=1000.json --train 5=3000.json --size=7 || echo $?
"$REUSEDIST" predict --train 5=1000.json --train 3000.json --size=7 || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json || echo $?
"$REUSEDIST" predict --size=7 || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=-7 || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=7 --evaluate || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --evaluate || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=7 --hist=log || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=7 --method=multi --hist=full || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=7 --patterns=1/2,1/3 || echo $?
"$REUSEDIST" predict --train 1000.json --train none.json --size=7 || echo $?
"$REUSEDIST" predict --train 1000.json --train "$DATA/profiles/page.json" --size=7 || echo $?
"$REUSEDIST" predict --model=1000.json --size=7 || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=7 --model=m.json -o m.json || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --train 1000.json --evaluate --model=m.json || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --against 1000.json --cache=32K || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --against 1000.json --out=json || echo $?
"$REUSEDIST" predict --model=m.json --size=7 --patterns=linear || echo $?
cp "$DATA/profiles/page.json" .
"$REUSEDIST" predict --train 1000.json --train 3000.json --against page.json || echo $?
"$REUSEDIST" predict --train 1000.json --train 3000.json --size-of "$DATA/profiles/page.json" || echo $?
sed 's/"kinds": null/"kinds": "L"/' 3000.json >loads.json
"$REUSEDIST" predict --train 1000.json --train loads.json --size=7 || echo $?
