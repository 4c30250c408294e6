mkdir dir
$REUSEDIST analyze dir
