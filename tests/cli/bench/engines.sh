# Speeds are not tested, only that every row is there and every answer was right.
"$REUSEDIST" bench engines --refs=20000 --repeat=1 -e bk -e olken
