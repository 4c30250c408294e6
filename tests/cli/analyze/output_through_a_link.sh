# The file that a link names is written, whether it exists or not, and the link remains.
ln -s target link
for i in 1 2; do
    printf 12345678 | $REUSEDIST analyze -f u64 --out=csv -o link -
    test -L link
    cat target
done
ls
