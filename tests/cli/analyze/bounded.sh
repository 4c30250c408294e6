# With a bound of 5 blocks, distances of 5 and more are infinite, in the histogram and in the file of distances.
# The trace is that of Table III in the Parda paper, with one u64 per letter: d a c b c c g e f a f b c m t m a c f b d c a c.
letters() { for c in d a c b c c g e f a f b c m t m a c f b d c a c; do printf "$c\0\0\0\0\0\0\0"; done; }
letters >t.u64
$REUSEDIST analyze -b addr --bound=5 --hist=full --out=csv --distances=d t.u64
tr '\n' ' ' <d
