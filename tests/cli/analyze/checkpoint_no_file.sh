# A checkpoint is a regular file of its own: it is read again, replaced and finally removed.
$REUSEDIST generate zipf:blocks=100,refs=5000 -o t
ln -s other link
mkfifo pipe
for place in link pipe /dev/stdout /dev/null .; do
    timeout 20 $REUSEDIST analyze -e parda:phase=1000 --checkpoint=$place t | cat || echo $?
done
ls
