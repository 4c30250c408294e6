# Without a kind, the command lists all kinds with their options.
$REUSEDIST generate | grep -E '^[a-z]+:|^  (refs|blocks) ' | sort | uniq -c
$REUSEDIST generate | grep -o 'length .*)'
