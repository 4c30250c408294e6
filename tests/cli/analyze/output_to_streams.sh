# Output to /dev/stdout and /dev/fd/N goes to the open file, whose earlier contents stay. Output to pipes and
# devices works, too.
analyze() { printf 12345678 | $REUSEDIST analyze -f u64 --out=csv "$@" -; }
{
    echo before
    analyze -o /dev/stdout
    analyze -o /dev/fd/1
    echo after
} >>log
cat log
mkfifo pipe
cat pipe &
analyze -o pipe
wait $!
analyze -o /dev/null
analyze -o /dev/stderr 2>&1
ls
