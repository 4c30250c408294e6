"$REUSEDIST" compare none.json none.json
