# Numbers out of range are refused, with all their digits in the message.
. "$DATA/sweeps.sh"; sweep 1000; sweep 3000
refused() { "$REUSEDIST" "$@" >/dev/null && echo "accepted: $*" || echo $?; }
refused analyze -t 99999999999 1000.json
refused analyze -t 0 1000.json
refused mrc --sizes=0 1000.json
refused mrc --sizes=32K,0 1000.json
refused predict --train 1000.json --train 3000.json --size=1e308
refused predict --train 1000.json --train 3000.json --size=1e30
refused predict --train 1000.json --train 3000.json --size=7 --cache=0
refused analyze -e shards:rate=1e9 1000.json
refused analyze ""
refused mrc ""
refused compare "" ""
refused predict --model="" --size=7
