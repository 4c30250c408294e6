# The description of a machine is a file that describes the same machine.
"$REUSEDIST" machines zen4 | tee mine.conf
"$REUSEDIST" machines mine.conf | cmp - mine.conf
"$REUSEDIST" machines ./mine.conf | cmp - mine.conf
