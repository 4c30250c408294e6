# A writable file in a read-only folder cannot be replaced, so it is overwritten at the end. If the test runs
# as root, it drops the capabilities that bypass permissions.
unprivileged=
[ "$(id -u)" != 0 ] || unprivileged="setpriv --bounding-set=-dac_override,-fowner"
mkdir folder
echo "a longer text than the result" >folder/r
chmod 555 folder
printf 12345678 | $unprivileged $REUSEDIST analyze -f u64 --out=csv -o folder/r -
cat folder/r
echo old >folder/r
$REUSEDIST generate uniform:refs=100K -o t
(ulimit -f 64; exec $unprivileged $REUSEDIST convert --to=text t -o folder/r) || echo "disk full: $?"
cat folder/r
$unprivileged $REUSEDIST convert --to=text t -o folder/r
$REUSEDIST convert --to=text t | cmp - folder/r
$unprivileged $REUSEDIST convert --to=text t -o folder/new || echo "new: $?"
chmod 755 folder
# In a folder with the sticky bit, such as /tmp, only the owner of a file may replace it.
if [ "$(id -u)" = 0 ]; then
    chmod 1777 folder
    echo "a longer text than the result" >folder/r
    chmod 666 folder/r
    chown 65534 folder folder/r
    printf 12345678 | $unprivileged $REUSEDIST analyze -f u64 --out=csv -o folder/r -
    cmp folder/r - <<<$'low,high,count,mean\ninf,inf,1,'
    ls -A folder
else
    echo r
fi
