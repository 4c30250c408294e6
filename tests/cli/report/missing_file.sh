"$REUSEDIST" report none.json -o page.html
