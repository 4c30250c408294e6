# The message about an unknown name suggests a similar name, and the message about an invalid file names the
# line number.
"$REUSEDIST" machines graviton5 || echo "status $?"
"$REUSEDIST" machines xyz || echo "status $?"
"$REUSEDIST" machines ./none.conf || echo "status $?"
ln -s loop loop
"$REUSEDIST" machines loop || echo "status $?"
"$REUSEDIST" machines "$(printf '%0300d' 0)" || echo "status $?"
printf '[mine]\ncaches = L1=32K:8\nlatency = 5\n' >mine.conf
"$REUSEDIST" machines mine.conf || echo "status $?"
printf '[mine]\ncaches = L1=32K:8\ntitle = \033[31mred\n' >mine.conf
"$REUSEDIST" machines mine.conf
