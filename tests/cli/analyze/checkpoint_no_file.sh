# A checkpoint must be a regular file and not another output: the analysis reads it, replaces it and finally
# removes it.
$REUSEDIST generate zipf:blocks=100,refs=5000 -o t
ln -s other link
mkfifo pipe
for place in link pipe /dev/stdout /dev/null .; do
    timeout 20 $REUSEDIST analyze -e parda:phase=1000 --checkpoint=$place t | cat || echo $?
done
ls
