. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 100000
"$REUSEDIST" predict --train 1000.json --train 3000.json --against 100000.json
