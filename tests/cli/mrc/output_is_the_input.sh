cp "$DATA/profiles/exact.json" p
ln -s p link
$REUSEDIST mrc p -o link || echo "exit $?"
cmp "$DATA/profiles/exact.json" p
