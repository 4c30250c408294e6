"""Copies of a profile stay valid without the original. Its memory is freed once. Copies of an engine are refused."""
import copy
import gc
import pickle

import numpy as np

import reusedist as rd

profile = rd.measure(np.arange(1000) % 70, bins="full", block_bytes=64)
text = profile.to_json()
copies = [copy.copy(profile), copy.deepcopy(profile), copy.deepcopy({"p": [profile, profile]})["p"][1]]
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    copies.append(pickle.loads(pickle.dumps(profile, protocol)))
bins = copies[-1].bins
del profile
gc.collect()
assert all(p.to_json() == text for p in copies)
del copies
gc.collect()
assert int(bins["count"].sum()) == 1000 - 70

engine = rd.Engine()
for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
    try:
        attempt(engine)
    except TypeError as error:
        assert "engine" in str(error), error
    else:
        raise AssertionError(f"{attempt} copied an engine")
