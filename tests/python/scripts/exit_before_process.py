"""The process outlives the interpreter. A thread that waits for input in the library no longer calls Python then."""
import ctypes
import subprocess
import threading

import reusedist as rd
from reusedist import _ownership

libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(700000), None)  # waits after the interpreter has ended
late = subprocess.Popen(["sh", "-c", "sleep 0.3; exec yes 1"], stdout=subprocess.PIPE)
path = f"/dev/fd/{late.stdout.fileno()}"
threading.Thread(target=rd.analyze, args=(path,), kwargs={"progress": lambda *_: None}, daemon=True).start()
while not _ownership._in_library:
    pass
