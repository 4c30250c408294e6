"$REUSEDIST" compare --junit=out.xml a b
