# The median and the mean of a bounded analysis are those of the distances below the bound, and the report says so.
"$REUSEDIST" generate zipf:blocks=1K,refs=20K -o t.trace
"$REUSEDIST" analyze -q t.trace | grep -A 1 'reuse distance'
"$REUSEDIST" analyze -q --bound=100 t.trace | grep -A 1 'reuse distance'
"$REUSEDIST" analyze -q --bound=1 t.trace | grep -A 1 'reuse distance'
printf '1\n2\n1\n' >t
"$REUSEDIST" analyze -q -f text --bound=1 t | grep -A 1 'reuse distance'
