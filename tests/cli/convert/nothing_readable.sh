# A trace that cannot be opened leaves the old file alone.
echo old >new.trace
printf '\211RDT\r\n\032\n' >cut.trace
$REUSEDIST convert cut.trace -o new.trace || echo $?
$REUSEDIST convert missing -o new.trace || echo $?
cat new.trace
ls
