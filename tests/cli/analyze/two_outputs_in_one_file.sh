# Two results in the same file are refused, whether the file exists or not.
letters() { for c in d a c b c c g e f a f b c m t m a c f b d c a c; do printf "$c\0\0\0\0\0\0\0"; done; }
letters >t
ln -s new link
$REUSEDIST analyze -f u64 --distances=new -o ./new t || echo "new: $?"
$REUSEDIST analyze -f u64 --distances=new -o link t || echo "link to nothing: $?"
$REUSEDIST analyze -f u64 --distances=new t >new || echo "standard output: $?"
$REUSEDIST analyze -f u64 -o new t >new || echo "-o and standard output: $?"
$REUSEDIST analyze -f u64 --distances=new -o link t || echo "link: $?"
$REUSEDIST analyze -f u64 --distances=/dev/null -o /dev/null t
wc -c <new
