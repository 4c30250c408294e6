"$REUSEDIST" run -f lackey -- true
