"""Objects in a garbage cycle use profiles, arrays and engines when the collector finalizes them."""
import gc

import numpy as np

import reusedist as rd

used = []


class Cycle:
    def __init__(self):
        self.me = self
        self.profile = rd.measure(np.arange(100) % 7)
        self.bins, self.curve = self.profile.bins, self.profile.curve()
        self.engine = rd.Engine()

    def __del__(self):
        used.append((self.profile.miss_ratio(7), int(self.bins["count"].sum()), self.curve["miss_ratio"][-1]))
        self.engine.feed([1, 2, 1])


for _ in range(20):
    Cycle()
gc.collect()
assert used == [(0.07, 93, 0.07)] * 20, used
