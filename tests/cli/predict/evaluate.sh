. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 20000
"$REUSEDIST" predict --train 20000.json --train 1000.json --train 3000.json --evaluate
"$REUSEDIST" predict --train 20000.json --train 1000.json --train 3000.json --evaluate --out=csv --method=multi
