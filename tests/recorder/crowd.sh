# More processes than may wait for the analyzer, none of which gets on before all have begun.
timeout 60 "$REUSEDIST" run --trace-children -o t.txt -- "$PROGRAMS/crowd" processes 70
