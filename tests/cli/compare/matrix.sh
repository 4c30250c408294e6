cd "$DATA/profiles" && "$REUSEDIST" compare exact.json worse.json better.json approx.json
