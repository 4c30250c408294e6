"""Exceptions in a garbage cycle hold profiles, which the collector finalizes in any order."""
import gc

import numpy as np

import reusedist as rd


def make_garbage():
    kept = []
    for _ in range(50):
        p = rd.measure(np.arange(10))
        try:
            p.rebin("nope")
        except rd.InvalidArgument as error:
            kept.append(error)
    kept.append(kept)


make_garbage()
gc.collect()
