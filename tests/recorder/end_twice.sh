# After the program has ended, a signal ends the analysis too, and no file is left behind. Here the analysis waits
# because standard error is a full pipe, to which it writes that the program started another program.
cat >wait.py <<'END'
import fcntl
import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
try:
    while True:
        os.write(writer, b"x" * 512)
except BlockingIOError:
    fcntl.fcntl(writer, fcntl.F_SETFL, 0)
number = getattr(signal, sys.argv[1])
with subprocess.Popen([sys.argv[2], "run", "-o", "result.txt", "--", "sh", "-c", "/bin/true; echo done"], stderr=writer,
                      stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as run:
    run.stdout.readline()
    for _ in range(20):
        run.send_signal(number)
        try:
            print(f"ended by {signal.Signals(-run.wait(0.5)).name}")
            break
        except subprocess.TimeoutExpired:
            pass
    else:
        print("still alive")
        run.kill()
END
mkdir here && cd here || exit 1
python3 ../wait.py SIGTERM "$REUSEDIST"
python3 ../wait.py SIGINT "$REUSEDIST"
ls -A
