echo "1 2 3" >trace.txt; "$REUSEDIST" compare trace.txt trace.txt
