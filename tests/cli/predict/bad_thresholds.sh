. "$DATA/sweeps.sh"; sweep 3000 5:0:1 || echo $?; sweep 1000; sweep 3000 100:10:1
"$REUSEDIST" predict --train 1000.json --train 3000.json --size-from=peaks --size=7 || echo $?
grep thresholds 3000.json
