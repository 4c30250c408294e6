# More than a pipe holds; the reader goes away at once.
$REUSEDIST generate uniform:refs=1M --to=u64 | true
