# A checkpoint is refused for an engine that cannot continue from one.
printf '%s\n' 1 2 1 >t
$REUSEDIST analyze -e stream --checkpoint=kept -b addr t
