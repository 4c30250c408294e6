# While a program runs, references so far, rate and elapsed time are shown at the right of the terminal, and
# erased at the end; not in a file, unless asked for.
"$REUSEDIST" run --progress=always -o /dev/null -- "$PROGRAMS/walk" forever >out 2>bar &
analyzer=$!
until grep -aqs 'references  .*/s  0:0' bar; do sleep 0.1; done
kill -TERM $analyzer
wait $analyzer || echo "status $?"
tail -c 13 bar | od -An -c
"$REUSEDIST" run -o /dev/null -- "$PROGRAMS/walk" 2>bar
wc -c <bar
