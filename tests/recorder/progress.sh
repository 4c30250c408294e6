# While a program runs, the number of references, the rate and the elapsed time are shown at the right edge of
# the terminal and erased at the end. If standard error is a file, they are shown only on request.
"$REUSEDIST" run --progress=always -o /dev/null -- "$PROGRAMS/walk" forever >out 2>bar &
analyzer=$!
until grep -aqs 'references  .*/s  0:0' bar; do sleep 0.1; done
kill -TERM $analyzer
wait $analyzer || echo "status $?"
tail -c 13 bar | od -An -c
"$REUSEDIST" run -o /dev/null -- "$PROGRAMS/walk" 2>bar
wc -c <bar
