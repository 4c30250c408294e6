# Signals of a terminal stop the recorded program even if the terminal sends them only to other processes: timeout
# runs in a process group of its own, and closing a terminal sends SIGHUP only to the leader of the session. The
# results cover the run up to the signal.
ulimit -c 0
cat >check.py <<'END'
import os, pty, signal, sys, time
reusedist, walk = sys.argv[1:]

def check(name, keys, *program):
    words = [reusedist, "run", "--trace-children", "--out=json", "-o", "t.json", "--", *program, walk, "forever"]
    child, terminal = pty.fork()
    if child == 0:
        for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:
            signal.signal(number, signal.SIG_DFL)
        os.execv(reusedist, words)
    text = b""
    while b"walking" not in text:
        text += os.read(terminal, 4096)
    if keys:
        os.write(terminal, keys)
    else:
        os.close(terminal)
    end = time.monotonic() + 30
    ended = 0
    while not ended and time.monotonic() < end:
        time.sleep(0.05)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended: # the recorder stops the program when the analyzer has ended
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(f"{name}: still running")
        return
    with open("t.json") as file:
        partial = '"partial": true' in file.read()
    print(f"{name}: status {os.waitstatus_to_exitcode(status)}, {'partial' if partial else 'complete'}")

check("Ctrl-C", b"\x03")
check("Ctrl-C, timeout", b"\x03", "timeout", "60")
check("Ctrl-\\, timeout", b"\x1c", "timeout", "60")
check("hang-up", None)
check("hang-up, timeout", None, "timeout", "60")
END
python3 check.py "$REUSEDIST" "$PROGRAMS/walk"
