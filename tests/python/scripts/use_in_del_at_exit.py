"""The interpreter stops a thread inside the library, then finalizes an object that uses the same engine."""
import gc
import threading

import numpy as np

import reusedist as rd


class Last:
    def __init__(self, engine):
        self.engine, self.me, self.expected = engine, self, rd.WrongOrder

    def __del__(self):
        try:
            self.engine.feed([1])
        except self.expected as error:
            assert "exiting" in str(error), error


gc.disable()
engine = rd.Engine("stack")
Last(engine)  # garbage that is collected at the end
threading.Thread(target=engine.feed, args=(np.arange(30000),), daemon=True).start()
while engine._in_use is False:
    pass
