# Every engine that is listed has a card.
"$REUSEDIST" engines | sed -n 's/^  //p' >list
while read -r name rest; do
    "$REUSEDIST" engines "$name" | grep -q "^$name: "
done <list
[ "$(wc -l <list)" -ge 6 ]
