# The test checks that every row exists and every answer was right. It does not check speeds.
"$REUSEDIST" bench engines --refs=20000 --repeat=1 -e bk -e olken
