"""Runs each script in a separate interpreter. A script must exit with status 0 and print nothing.

usage: run_scripts.py COUNT [FIRST]

Runs the scripts in the folder `scripts`, and COUNT random scripts with the seeds FIRST (default 0) and up. Each
script runs in a child process, which shares the imports of this process and ends like any interpreter. In a
build with AddressSanitizer, its findings in the library appear in the output of the script.
"""
import os
import pathlib
import signal
import sys
import tempfile

import reusedist
from script_generator import make_script

SECONDS = 60  # a script that takes longer is stopped and fails


def all_scripts(count, first):
    for path in sorted(pathlib.Path(__file__).parent.glob("scripts/*.py")):
        yield path.name, path.read_text()
    engines = [engine.name for engine in reusedist.engines() if not engine.unavailable]
    for seed in range(first, first + count):
        yield f"seed {seed}", make_script(seed, engines)


def wait_for(child, log):
    """Waits for a child process that runs a script. Returns a text that says what went wrong, or ''."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    log.seek(0)
    said = log.read()
    if status == 0 and not said:
        return ""
    if -status == signal.SIGALRM:
        return f"hangs\n{said}"
    return f"{f'signal {-status}' if status < 0 else f'exit status {status}'}\n{said}"


count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
bad = done = 0
for name, text in all_scripts(count, first):
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            signal.alarm(SECONDS)
            break
        wrong = wait_for(child, log)
    done += 1
    if wrong:
        bad += 1
        print(f"---- {name}: {wrong}\n---- the script:\n{text}")
else:
    print(f"{done} scripts ran, {bad} of them failed")
    sys.exit(bad != 0)

exec(compile(text, name, "exec"), globals())  # the child process runs the script
