# --distances is refused for an engine that does not compute distances.
# The trace is that of Table III in the Parda paper, with one u64 per letter: d a c b c c g e f a f b c m t m a c f b d c a c.
letters() { for c in d a c b c c g e f a f b c m t m a c f b d c a c; do printf "$c\0\0\0\0\0\0\0"; done; }
letters | $REUSEDIST analyze -e null --distances=d -
