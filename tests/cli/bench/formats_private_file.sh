# Another user cannot predict the name of the temporary file and create a link with this name.
"$REUSEDIST" generate uniform:refs=500,blocks=100 -o t
mkdir tmp
echo kept >victim
export TMPDIR=$PWD/tmp
bash -c 'ln -s ../victim tmp/reusedist-bench-$$; exec "$REUSEDIST" bench formats --refs=500 --repeat=1 t' >/dev/null
cat victim
rm tmp/reusedist-bench-*
ls -A tmp
TMPDIR=/nonexistent "$REUSEDIST" bench formats --refs=500 --repeat=1 t >/dev/null || echo $?
