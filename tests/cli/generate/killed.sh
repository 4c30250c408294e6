# A killed process leaves no file, whichever signal ends it. The trace is far too long to be finished. On file
# systems without unnamed files, a temporary file may remain.
ulimit -f 1000000 # KiB; if SIGHUP is ignored, as under nohup, this limit ends the trace
case $(stat -f -c %T .) in ext2/ext3 | tmpfs | xfs | btrfs) ;; *) exit 0 ;; esac
for signal in TERM HUP KILL; do
    $REUSEDIST generate uniform:refs=1T --to=u64 -o g &
    pid=$!
    while kill -0 $pid && ! ls -l /proc/$pid/fd | grep -qF "$PWD/"; do sleep 0.01; done
    kill -s $signal $pid
    ! wait $pid
    ls
done 2>/dev/null
