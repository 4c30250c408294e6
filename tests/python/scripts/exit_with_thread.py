"""The interpreter exits with profiles, engines, arrays and cycles in globals while threads use the library."""
import threading

import numpy as np

import reusedist as rd

kept = []
for _ in range(50):
    profile = rd.measure(np.arange(10))
    try:
        profile.rebin("nope")
    except rd.InvalidArgument as error:
        kept.append((error, profile, profile.bins, profile.curve()))
kept.append(kept)

trace = np.arange(20000)  # many distinct blocks keep engine stack busy
engine = rd.Engine("stack")
listening = rd.Engine("stack", sink=np.sum)
late = rd.Engine("chunks", threads=2, sink=np.sum)
for target, arguments in ((engine.feed, (trace,)), (engine.feed, (trace,)), (listening.feed, (trace,)),
                          (late.feed, (np.arange(10**6) % 5000,)), (rd.measure, (trace, "stack")),
                          (rd.measure, (trace % 3000, "parda:ranks=2"))):
    threading.Thread(target=target, args=arguments, daemon=True).start()
