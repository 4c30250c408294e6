head -c 300 "$DATA/profiles/exact.json" >cut.json; "$REUSEDIST" compare cut.json cut.json
