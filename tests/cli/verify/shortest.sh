# Traces have at least the length --shortest, which cannot exceed --longest.
"$REUSEDIST" verify -e stack --traces=20 --shortest=3000 --longest=4000 |
    awk '$3 == "stack" { print $1, "traces,", ($2 >= 60000 && $2 <= 80000) ? "3000 to 4000" : $2, "references" }'
"$REUSEDIST" verify -e stack --traces=20 --shortest=4001 --longest=4000
