# Files never take the place of a closed standard stream; writing to one is reported.
printf 12345678 | $REUSEDIST analyze -f u64 --distances=d --out=csv - >&- && exit 1
cat d
printf 12345678 | $REUSEDIST analyze -f u64 -o result >&- -
$REUSEDIST analyze -f u64 - <&-
