# A wrong name gets a suggestion, and a wrong file the line of the mistake.
"$REUSEDIST" machines graviton5 || echo "status $?"
"$REUSEDIST" machines xyz || echo "status $?"
"$REUSEDIST" machines ./none.conf || echo "status $?"
printf '[mine]\ncaches = L1=32K:8\nlatency = 5\n' >mine.conf
"$REUSEDIST" machines mine.conf || echo "status $?"
printf '[mine]\ncaches = L1=32K:8\ntitle = \033[31mred\n' >mine.conf
"$REUSEDIST" machines mine.conf
