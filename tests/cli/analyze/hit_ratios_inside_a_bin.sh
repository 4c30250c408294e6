# The hit ratio of a cache whose size lies inside a bin is interpolated, and marked with "~" like the share beside it.
"$REUSEDIST" generate -q zipf:refs=20000,blocks=2000 -o zipf.trace
"$REUSEDIST" analyze -q --ascii --hist=linear:1000 zipf.trace | sed '/^Miss ratio/,$d' | sed '1,/^$/d'
