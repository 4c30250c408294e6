. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 9000
"$REUSEDIST" similarity sweep=1000.json sweep=3000.json big=9000.json
"$REUSEDIST" similarity --out=csv sweep=1000.json sweep=3000.json 9000.json
"$REUSEDIST" similarity 1000.json none.json || echo $?
"$REUSEDIST" similarity 1000.json || echo $?
