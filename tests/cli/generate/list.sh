# Without a kind: all kinds, each with its options.
$REUSEDIST generate | grep -E '^[a-z]+:|^  (refs|blocks) ' | sort | uniq -c
