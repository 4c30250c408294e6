# If a trace cannot be opened, the existing output file stays unchanged.
echo old >new.trace
printf '\211RDT\r\n\032\n' >cut.trace
$REUSEDIST convert cut.trace -o new.trace || echo $?
$REUSEDIST convert missing -o new.trace || echo $?
cat new.trace
ls
