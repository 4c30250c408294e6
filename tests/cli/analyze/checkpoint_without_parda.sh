# Not every engine can continue from a checkpoint.
printf '%s\n' 1 2 1 >t
$REUSEDIST analyze -e stream --checkpoint=kept -b addr t
