$REUSEDIST generate cycle:blocks=3,refs=5 --to=text
