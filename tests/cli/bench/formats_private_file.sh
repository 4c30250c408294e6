# The temporary file has no name that somebody else can predict and make a link of.
"$REUSEDIST" generate uniform:refs=500,blocks=100 -o t
mkdir tmp
echo kept >victim
export TMPDIR=$PWD/tmp
bash -c 'ln -s ../victim tmp/reusedist-bench-$$; exec "$REUSEDIST" bench formats --refs=500 --repeat=1 t' >/dev/null
cat victim
rm tmp/reusedist-bench-*
ls -A tmp
TMPDIR=/nonexistent "$REUSEDIST" bench formats --refs=500 --repeat=1 t >/dev/null || echo $?
