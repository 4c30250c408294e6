# /dev/stdout and /dev/fd/N are the open files: their contents stay. Pipes and devices work, too.
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
