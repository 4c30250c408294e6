# A file never replaces a closed standard stream, and writing to a closed stream is reported.
printf 12345678 | $REUSEDIST analyze -f u64 --distances=d --out=csv - >&- && exit 1
cat d
printf 12345678 | $REUSEDIST analyze -f u64 -o result >&- -
$REUSEDIST analyze -f u64 - <&-
