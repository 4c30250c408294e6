"""The Python package: arrays in and out, equal to a plain calculation and to the profile file."""
import gc
import json
import os
import signal
import tempfile
import tomllib
import unittest

import numpy as np

import reusedist as rd

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(rd.__file__)))


def plain_distances(trace):
    """Mattson's stack: the index in a list of blocks, the newest first."""
    stack, found = [], []
    for block in trace:
        if block in stack:
            found.append(stack.index(block))
            stack.remove(block)
        else:
            found.append(int(rd.COLD))
        stack.insert(0, block)
    return found


class Distances(unittest.TestCase):
    def setUp(self):
        self.trace = np.random.default_rng(1).integers(0, 60, 2000, dtype=np.uint64)
        self.right = plain_distances(self.trace.tolist())

    def test_equal_to_a_plain_stack(self):
        self.assertEqual(rd.distances(self.trace).tolist(), self.right)

    def test_engines_that_answer_late(self):
        for engine in ("chunks", "geometric"):
            self.assertEqual(rd.distances(self.trace, engine).tolist(), self.right, engine)

    def test_written_into_the_callers_array(self):
        out = np.zeros(self.trace.size, np.uint64)
        with rd.Engine("stack") as engine:
            for half in (slice(0, 700), slice(700, None)):
                engine.feed(self.trace[half], out[half])
        self.assertEqual(out.tolist(), self.right)

    def test_bound(self):
        bounded = [d if d < 20 else int(rd.COLD) for d in self.right]
        self.assertEqual(rd.distances(self.trace, bound=20).tolist(), bounded)
        self.assertIsNone(rd.measure(self.trace, "bk", bound=20).blocks)
        self.assertEqual(rd.measure(self.trace, bound=20).bound, 20)

    def test_any_integers_and_shapes(self):
        for array in (self.trace.astype(np.int64), self.trace.astype(np.int32), self.trace.tolist(),
                      self.trace.reshape(20, 100), np.repeat(self.trace, 2)[::2]):
            self.assertEqual(rd.distances(array).tolist(), self.right)

    def test_all_64_bits(self):
        ends = np.array([0, 2**64 - 1, 0, 2**64 - 1], np.uint64)
        self.assertEqual(rd.distances(ends).tolist()[2:], [1, 1])
        self.assertEqual(rd.distances(np.array([-1, 0, -1])).tolist()[2:], [1])

    def test_64_bit_arrays_are_not_copied(self):
        from reusedist import _as_blocks
        signed = np.arange(10)
        self.assertTrue(np.shares_memory(_as_blocks(self.trace), self.trace))
        self.assertTrue(np.shares_memory(_as_blocks(signed), signed))

    def test_empty(self):
        self.assertEqual(rd.distances([]).size, 0)
        self.assertEqual(rd.measure([]).references, 0)
        self.assertEqual(rd.measure([]).bins.size, 0)


class Profiles(unittest.TestCase):
    def setUp(self):
        self.trace = np.random.default_rng(2).zipf(1.3, 20000) % 5000
        self.profile = rd.measure(self.trace, bins="full", block_bytes=64)

    def test_totals_are_those_of_the_file(self):
        told = json.loads(self.profile.to_json())
        for name in ("references", "blocks", "cold", "infinite", "block_bytes", "bound", "exact",
                     "binning", "seconds"):
            self.assertEqual(getattr(self.profile, name), told[name], name)
        self.assertEqual(self.profile.engine, told["engine"]["name"])
        self.assertEqual(self.profile.error, (told["error"]["kind"], told["error"]["bound"]))

    def test_bins_count_the_distances(self):
        finite = rd.distances(self.trace)
        finite = finite[finite != rd.COLD]
        low, count = np.unique(finite, return_counts=True)
        bins = self.profile.bins
        self.assertTrue(np.array_equal(bins["low"], low) and np.array_equal(bins["count"], count))
        self.assertEqual(int(bins["sum_low"].sum()), int(finite.sum()))

    def test_bins_are_borrowed_and_keep_their_owner(self):
        bins = self.profile.bins
        before = bins["count"].sum()
        self.assertFalse(bins.flags.owndata or bins.flags.writeable)
        self.profile = None
        gc.collect()
        self.assertEqual(bins["count"].sum(), before)

    def test_curve_counts_misses(self):
        finite = rd.distances(self.trace)
        curve = self.profile.curve()
        gc.collect()
        self.assertEqual((curve["blocks"][0], curve["miss_ratio"][0]), (0, 1))
        for blocks, ratio in curve[:: max(1, curve.size // 50)]:
            self.assertAlmostEqual(ratio, np.mean(finite >= blocks))
        sizes = [1, 8, 100, 4096]
        self.assertTrue(np.allclose(self.profile.miss_ratios(sizes),
                                    [np.mean(finite >= size) for size in sizes]))

    def test_written_and_read_again(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "profile.json")
            self.profile.write(path)
            self.assertEqual(rd.Profile.read(path).to_json(), self.profile.to_json())

    def test_coarser_bins(self):
        log = self.profile.rebin("log")
        self.assertEqual(log.binning, "log")
        self.assertEqual(log.bins["count"].sum(), self.profile.bins["count"].sum())

    def test_approximate_engines_say_so(self):
        rough = rd.measure(self.trace, "scale:error=0.1")
        self.assertEqual((rough.exact, rough.error), (False, ("relative", 0.1)))


class Engines(unittest.TestCase):
    def test_list(self):
        listed = {engine.name: engine for engine in rd.engines()}
        self.assertEqual(listed["stack"].error, "exact")
        self.assertTrue(listed["stack"].gives_distances and not listed["stack"].unavailable)
        self.assertFalse(listed["null"].gives_distances)

    def test_every_available_one_counts_references(self):
        for engine in rd.engines():
            if not engine.unavailable:
                self.assertEqual(rd.measure(np.arange(100) % 7, engine.name).references, 100)


class Errors(unittest.TestCase):
    def test_unknown_engine_lists_the_valid_ones(self):
        with self.assertRaisesRegex(ValueError, "stream") as caught:
            rd.measure([1], "nosuch")
        self.assertIsInstance(caught.exception, rd.InvalidArgument)
        self.assertEqual(caught.exception.status, "RD_EINVAL")

    def test_kinds(self):
        with self.assertRaises(OSError):
            rd.Profile.read("/nonexistent/profile.json")
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("{}")
            file.flush()
            with self.assertRaises(rd.FormatError):
                rd.Profile.read(file.name)
        with self.assertRaises(rd.InvalidArgument):
            rd.measure(np.array([1.5]))
        with self.assertRaises(MemoryError):
            rd.measure(np.arange(10**6), "bk", memory=100)
        with self.assertRaises(rd.InvalidArgument):
            rd.measure(np.arange(100), "bk", bound=8).miss_ratio(9)

    def test_numbers_out_of_range_are_not_cut(self):
        profile = rd.measure([1, 2, 1])
        for wrong in (lambda: rd.measure([1], bound=-1), lambda: rd.measure([1], threads=2**32 + 1),
                      lambda: rd.measure([1], memory=2**64), lambda: profile.miss_ratios([-1]),
                      lambda: profile.miss_ratio(2**64 + 1)):
            with self.assertRaises(rd.InvalidArgument):
                wrong()
        with self.assertRaises(TypeError):
            profile.miss_ratios([1.5])
        self.assertEqual(list(profile.miss_ratios(np.array([1, 2]))), [1, 2 / 3])

    def test_wrong_order(self):
        engine = rd.Engine()
        engine.finish()
        with self.assertRaises(rd.WrongOrder):
            engine.feed([1])
        engine.close()
        with self.assertRaises(RuntimeError):
            engine.feed([1])

    def test_unfit_room_for_distances(self):
        with rd.Engine("stack") as engine:
            for room in (np.zeros(2, np.uint64), np.zeros(3, np.int32), np.zeros(6, np.uint64)[::2]):
                with self.assertRaises(rd.InvalidArgument):
                    engine.feed(np.arange(3), room)

    def test_exceptions_of_a_sink_come_through(self):
        def sink(_):
            raise KeyError("mine")
        with self.assertRaises(KeyError), rd.Engine("chunks", sink=sink) as engine:
            engine.feed(np.arange(10) % 3)
            engine.finish()


class Files(unittest.TestCase):
    GZIP = os.path.join(os.path.dirname(PACKAGE), "examples", "gzip.trace.xz")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ids = np.random.default_rng(4).integers(0, 500, 700000, dtype=np.uint64)
        self.path = os.path.join(self.folder.name, "ids.u64")
        self.ids.tofile(self.path)
        self.right = rd.measure(self.ids)

    def analyze(self, *paths, **options):
        return rd.analyze(*(paths or (self.path,)), format="u64", block="addr", **options)

    def assert_same(self, profile, right):
        self.assertEqual(profile.bins.tolist(), right.bins.tolist())
        self.assertEqual(profile.references, right.references)

    def test_equal_to_the_array(self):
        for options in ({}, {"threads": 3}, {"engine": "parda:ranks=2"}, {"engine": "stack"}):
            self.assert_same(self.analyze(**options), self.right)
        self.assert_same(self.analyze(bound=20, bins="full"),
                         rd.measure(self.ids, bound=20, bins="full"))

    def test_several_files_are_one_trace(self):
        self.assert_same(self.analyze(self.path, self.path),
                         rd.measure(np.concatenate([self.ids, self.ids])))

    def test_compressed_trace_of_addresses(self):
        try:
            profile = rd.analyze(self.GZIP)
        except rd.Unsupported:  # a build without libarchive
            return
        self.assertEqual((profile.block_bytes, profile.partial), (64, False))
        stores = rd.analyze(self.GZIP, kinds="S", block=4096)
        self.assertEqual(stores.block_bytes, 4096)
        self.assertLess(stores.references, profile.references)

    def test_progress_grows_up_to_the_whole(self):
        seen = []
        self.analyze(progress=lambda *now: seen.append(now))
        self.assertEqual(seen, sorted(seen))
        size = os.path.getsize(self.path)
        self.assertEqual(seen[-1], (self.ids.size, size, size))

    def test_progress_can_cancel(self):
        for threads in (1, 3):
            with self.assertRaises(rd.Canceled):
                self.analyze(threads=threads, progress=lambda references, *_: references < 10**5)
        part = self.analyze(partial=True, progress=lambda references, *_: references < 10**5)
        self.assertTrue(part.partial)
        self.assert_same(part, rd.measure(self.ids[:part.references]))

    def test_what_progress_raises_comes_through(self):
        def progress(*_):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            self.analyze(progress=progress)

    def test_an_interrupt_is_never_lost(self):
        for threads in (1, 3):
            for moment in (0, 3):
                calls = []

                def progress(*_):
                    calls.append(1)
                    if len(calls) == moment + 1:
                        os.kill(os.getpid(), signal.SIGINT)
                with self.assertRaises(KeyboardInterrupt):
                    self.analyze(threads=threads, progress=progress)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_numpy_booleans_cancel_and_odd_paths_are_refused(self):
        with self.assertRaises(rd.Canceled):
            self.analyze(progress=lambda *_: np.False_)
        with self.assertRaises(ValueError):
            rd.analyze(self.path + "\0x")

    def test_damage(self):
        with open(self.path, "ab") as file:
            file.write(b"xyz")
        with self.assertRaises(rd.FormatError):
            self.analyze()
        part = self.analyze(partial=True)
        self.assertTrue(part.partial)
        self.assert_same(part, self.right)

    def test_mistakes(self):
        with self.assertRaises(rd.ReadWriteError):
            rd.analyze("/nonexistent")
        for wrong in ({"block": 0}, {"block": 48}, {"kinds": "LX"}, {"kinds": ""}, {"bins": "no"},
                      {"engine": "nope"}, {"threads": -1}, {"bound": 2**64}):
            with self.assertRaises(rd.InvalidArgument, msg=wrong):
                rd.analyze(self.path, **wrong)
        with self.assertRaises(rd.WrongOrder):
            rd.analyze()


class Packaging(unittest.TestCase):
    def test_version_and_files(self):
        with open(os.path.join(PACKAGE, "pyproject.toml"), "rb") as file:
            project = tomllib.load(file)
        self.assertEqual(project["project"]["name"], "reusedist")
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "reusedist", "py.typed")))
        from reusedist._native import VERSION
        self.assertEqual(VERSION, rd.version())


if __name__ == "__main__":
    unittest.main()
