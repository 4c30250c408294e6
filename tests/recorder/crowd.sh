# More processes are recorded than may wait for the analyzer; none continues before all have started.
timeout 60 "$REUSEDIST" run --trace-children -o t.txt -- "$PROGRAMS/crowd" processes 70
