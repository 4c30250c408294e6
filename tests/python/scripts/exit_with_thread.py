"""The interpreter exits with profiles, engines, arrays and a cycle in globals while threads use them."""
import threading

import numpy as np

import reusedist as rd

trace = np.arange(100000) % 5000
profile = rd.measure(trace)
bins, curve = profile.bins, profile.curve()
engine = rd.Engine("stream")
cycle = [profile, engine]
cycle.append(cycle)
started = threading.Barrier(4)


def feed_for_ever():
    started.wait()
    while True:
        engine.feed(trace)


def feed_a_sink_for_ever():
    with rd.Engine("chunks", threads=2, sink=lambda distances: distances.sum()) as mine:
        started.wait()
        while True:
            mine.feed(trace)


def measure_for_ever():
    started.wait()
    while True:
        rd.measure(trace, "parda:ranks=2", threads=2).curve()


for work in (feed_for_ever, feed_a_sink_for_ever, measure_for_ever):
    threading.Thread(target=work, daemon=True).start()
started.wait()
