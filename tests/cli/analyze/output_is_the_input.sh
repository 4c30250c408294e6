# An output that is also the input is refused, even through links.
letters() { for c in d a c b c c g e f a f b c m t m a c f b d c a c; do printf "$c\0\0\0\0\0\0\0"; done; }
letters >t
ln -s t soft
ln t hard
for place in t ./t soft hard; do
    $REUSEDIST analyze -f u64 -o $place t || echo "-o: $?"
    $REUSEDIST analyze -f u64 --distances=$place t || echo "--distances: $?"
done
$REUSEDIST analyze -f u64 -o t - <t || echo "standard input: $?"
$REUSEDIST analyze -f u64 --attribute --object=hard@0x400000 -o t other || echo "--object: $?"
$REUSEDIST analyze -f u64 t >>t || echo "standard output: $?"
letters | cmp - t
