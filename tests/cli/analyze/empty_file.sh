: >empty
$REUSEDIST analyze empty
