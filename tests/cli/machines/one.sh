# `machines zen4` prints a file, and `machines FILE` reads the same description from this file.
"$REUSEDIST" machines zen4 | tee mine.conf
"$REUSEDIST" machines mine.conf | cmp - mine.conf
"$REUSEDIST" machines ./mine.conf | cmp - mine.conf
