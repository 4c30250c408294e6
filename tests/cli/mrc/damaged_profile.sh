echo '{"schema": "reusedist.profile/1", "references": 3' >profile
$REUSEDIST mrc profile
