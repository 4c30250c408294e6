. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
"$REUSEDIST" predict --train 1=1000.json --train 3=3000.json --size=200 --ascii
