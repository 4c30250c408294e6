. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=9005 --out=json | "$REUSEDIST" mrc --sizes=4,100,8000,10000 --out=csv -
"$REUSEDIST" predict --train 1000.json --train 3000.json --size=9005 --cache=4,100,8000,10000 --out=csv
