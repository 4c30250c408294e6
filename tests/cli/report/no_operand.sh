"$REUSEDIST" report -o page.html
