"""Several threads feed one engine and use one profile. Their calls run one at a time."""
import threading

import numpy as np

import reusedist as rd

trace = np.arange(5000) % 300
errors = []


def together(work, n=3):
    def guarded():
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


for name in ("auto", "bk", "chunks", "olken:tree=avl"):
    engine = rd.Engine(name)
    together(lambda: [engine.feed(trace) for _ in range(10)])
    profile = engine.profile()
    assert (profile.references, profile.blocks) == (30 * trace.size, 300)

told = profile.to_json()


def use_profile():
    for _ in range(20):
        assert profile.to_json() == told
        assert profile.rebin("log").miss_ratio(300) == profile.miss_ratio(300)
        try:
            profile.rebin("nope")
        except rd.InvalidArgument as error:
            assert "'nope'" in str(error)


together(use_profile)
