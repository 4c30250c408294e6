echo old >t.u32
$REUSEDIST generate cycle:blocks=1M,refs=20K,stride=1M --to=u32 -o t.u32 || status=$?
cat t.u32
exit $status
