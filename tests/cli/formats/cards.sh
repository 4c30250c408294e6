# Every format that is listed has a card.
"$REUSEDIST" formats >list
while read -r name rest; do
    "$REUSEDIST" formats "$name" >card
    grep -q "^$name: " card && grep -q '^delivers: address' card
done <list
wc -l <list >count
[ "$(cat count)" -ge 13 ]
