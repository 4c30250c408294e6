# A damaged trace gives a result only with --partial.
printf ' L 40,8\n L 80,8\nnonsense\n' >trace
"$REUSEDIST" simulate -f lackey --caches=L1=1K:2 --out=csv trace || echo "status $?"
"$REUSEDIST" simulate -f lackey --caches=L1=1K:2 --out=csv --partial trace || echo "status $?"
