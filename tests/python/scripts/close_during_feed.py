"""Closes an engine while it is fed. Closing by its sink is refused, and closing by another thread waits."""
import threading

import numpy as np

import reusedist as rd

trace = np.arange(200000) % 3000
refused = []


def misuse(_):
    for use in (engine.close, engine.finish, engine.profile, lambda: engine.feed([1])):
        try:
            use()
        except rd.WrongOrder as error:
            refused.append(str(error))


for name in ("stream", "chunks"):
    with rd.Engine(name, sink=misuse) as engine:
        engine.feed(trace)
        assert engine.profile().references == trace.size
assert set(refused) == {"a sink cannot use the engine that calls it"}, set(refused)

for name in ("stream", "chunks", "bk"):
    engine = rd.Engine(name)
    closing = [threading.Thread(target=engine.close) for _ in range(3)]
    closed = 0
    try:
        for i in range(100):
            if i == 2:
                for thread in closing:
                    thread.start()
            engine.feed(trace)
    except rd.WrongOrder as error:
        closed += str(error) == "the engine is closed"
    for thread in closing:
        thread.join()
    engine.close()
    try:
        engine.feed(trace)
    except rd.WrongOrder:
        closed += 1
    assert closed
