. "$DATA/sweeps.sh"; sweep 1000; sweep 3000; sweep 9000
sed "s/\"exact\": true/\"exact\": false/; s/\"kind\": \"exact\"/\"kind\": \"relative\"/" 1000.json >rough.json
"$REUSEDIST" predict --train rough.json --train 3000.json --size=9005 --ascii | sed -n 1,6p
"$REUSEDIST" predict --train rough.json --train 3000.json --size=9005 --out=json | grep -o "training=[a-z]*"
