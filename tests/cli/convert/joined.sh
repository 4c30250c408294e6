$REUSEDIST generate cycle:blocks=2,refs=3 -o a
$REUSEDIST generate sawtooth:blocks=2,refs=3 -o b
$REUSEDIST convert a b - --to=text <a
