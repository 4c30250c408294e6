sed "s/1000, 1000, 100, /1000, 1000, 101, /" "$DATA/profiles/exact.json" >bad.json; "$REUSEDIST" compare bad.json bad.json
