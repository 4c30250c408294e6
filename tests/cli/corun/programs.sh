. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
"$REUSEDIST" corun --sizes=500,1500,5000 small=1000.json large=3000.json
"$REUSEDIST" corun --sizes=1500 --rate=3,1 --out=csv small=1000.json "a,b=3000.json"
"$REUSEDIST" corun --sizes=2000 --ways=4 small=1000.json large=3000.json
"$REUSEDIST" corun --sizes=1200 --among=2 --out=csv a=1000.json b=1000.json c=3000.json d=3000.json
"$REUSEDIST" corun --sizes=1200 --among=2 a=1000.json b=1000.json c=3000.json d=3000.json
"$REUSEDIST" corun --sizes=2000 --ways=4 --out=json -o result.json small=1000.json large=3000.json
cat result.json
