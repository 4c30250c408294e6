# Not every engine can go on where it was.
printf '%s\n' 1 2 1 >t
$REUSEDIST analyze -e stream --checkpoint=kept -b addr t
