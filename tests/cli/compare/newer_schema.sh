sed "s,profile/1,profile/2," "$DATA/profiles/exact.json" >new.json; "$REUSEDIST" compare new.json new.json
