"""Tests the Python package: its arrays must equal the results of simple calculations and the profile file."""
import copy
import gc
import json
import os
import pickle
import signal
import sys
import tempfile
import types
import unittest
import unittest.mock
import weakref

import numpy as np

import reusedist as rd

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(rd.__file__)))


def plain_distances(trace):
    """Computes distances by Mattson's stack: the index in a list of blocks, newest first."""
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
        from reusedist._arguments import as_blocks
        signed = np.arange(10)
        self.assertTrue(np.shares_memory(as_blocks(self.trace), self.trace))
        self.assertTrue(np.shares_memory(as_blocks(signed), signed))

    def test_byte_order_alignment_and_order_of_elements(self):
        shifted = np.frombuffer(b"x" + self.trace.tobytes(), np.uint8)[1:].view(np.uint64)
        self.assertFalse(shifted.flags.aligned)
        for array in (self.trace.astype(">u8"), self.trace.astype(">i4"), shifted,
                      self.trace[::-1].copy()[::-1], self.trace.astype(np.uint16)):
            self.assertEqual(rd.distances(array).tolist(), self.right, array.dtype)
        square = self.trace[:1600].reshape(40, 40)
        self.assertEqual(rd.distances(square.T).tolist(), plain_distances(square.T.ravel().tolist()))

    def test_negative_numbers_stay_distinct(self):
        for kind in (np.int8, np.int32, np.int64, ">i8"):
            signed = (self.trace.astype(np.int64) - 30).astype(kind)
            self.assertEqual(rd.distances(signed).tolist(), self.right, kind)

    def test_distances_may_overwrite_the_blocks(self):
        for engine in ("stack", "auto", "bk", "olken"):
            same = self.trace.copy()
            with rd.Engine(engine) as opened:
                opened.feed(same, same)
                self.assertEqual(opened.profile().references, same.size)
            self.assertEqual(same.tolist(), self.right, engine)
            for shift in (1, 700, 1999):
                whole = np.concatenate([self.trace, np.zeros(shift, np.uint64)])
                with rd.Engine(engine) as opened:
                    opened.feed(whole[:-shift], whole[shift:])
                    profile = opened.profile()
                self.assertEqual(whole[shift:].tolist(), self.right, (engine, shift))
                self.assertEqual(profile.bins.tolist(), rd.measure(self.trace, engine).bins.tolist())

    def test_arrays_without_block_ids_are_refused(self):
        for wrong in (np.array([1.0, 2.0]), np.array([1, 2], object), np.array(["a"]), [2**64], [1, None],
                      np.array([1 + 2j]), np.array(["2020-01-01"], "M8[D]"), np.zeros(2, [("a", "u8")])):
            with self.assertRaisesRegex(rd.InvalidArgument, "integers", msg=repr(wrong)):
                rd.measure(wrong)

    def test_masked_elements_are_refused(self):
        masked = np.ma.masked_equal(self.trace, self.trace[5])
        for wrong in (masked, [masked[:10], masked[10:20]], [[list(self.trace[:10]), masked[:10]]]):
            with self.assertRaisesRegex(rd.InvalidArgument, "masked.*compressed"):
                rd.measure(wrong)
        self.assertEqual(rd.distances(np.ma.array(self.trace)).tolist(), self.right)
        self.assertEqual(rd.measure(masked.compressed()).references, masked.count())

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

    def test_every_engine_writes_what_can_be_read(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "profile.json")
            for engine in rd.engines():
                if engine.unavailable:
                    continue
                for options in ({}, {"block_bytes": 1}, {"block_bytes": 2**63}):
                    profile = rd.measure(np.arange(50) % 7, engine.name, **options)
                    profile.write(path)
                    self.assertEqual(rd.Profile.read(path).to_json(), profile.to_json(), engine.name)
                    self.assertEqual(pickle.loads(pickle.dumps(profile)).to_json(), profile.to_json())
        for wrong in (3, 96, 2**64 - 1):
            with self.assertRaisesRegex(rd.InvalidArgument, "power of two"):
                rd.measure([1], block_bytes=wrong)

    def test_copies_and_text(self):
        self.assertIs(copy.copy(self.profile), self.profile)
        self.assertIs(copy.deepcopy(self.profile), self.profile)
        self.assertEqual(rd.Profile.from_json(self.profile.to_json()).to_json(), self.profile.to_json())
        with self.assertRaises(rd.FormatError):
            rd.Profile.from_json("{}")
        with self.assertRaisesRegex(TypeError, "measure"):
            rd.Profile(None)

    def test_band_of_a_sample(self):
        self.assertFalse(self.profile.has_band)
        with self.assertRaises(rd.InvalidArgument):
            self.profile.miss_ratio_band(10)
        sample = rd.measure(self.trace, "shards:rate=0.5")
        low, high = sample.miss_ratio_band(1000)
        self.assertTrue(sample.has_band and low <= sample.miss_ratio(1000) <= high)
        self.assertEqual((self.profile.resolution, sample.resolution), (0, 20))

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
        with self.assertRaisesRegex(rd.WrongOrder, "opened only once"):
            engine.__init__("stack")
        engine.close()
        engine.close()
        with self.assertRaises(RuntimeError):
            engine.feed([1])

    def test_wrong_types_are_named(self):
        profile = rd.measure([1, 2, 1])
        for said, wrong in (("engine must be a string, not int", lambda: rd.measure([1], engine=5)),
                            ("engine must be a string, not None", lambda: rd.measure([1], None)),
                            ("bins must be a string, not None", lambda: rd.measure([1], bins=None)),
                            ("bins must be a string, not int", lambda: profile.rebin(7)),
                            ("bound must be an integer, not str", lambda: rd.measure([1], bound="8")),
                            ("threads must be an integer, not float", lambda: rd.Engine(threads=1.5)),
                            ("sink must be a function, not int", lambda: rd.Engine(sink=5)),
                            ("distances must be a numpy array, not list",
                             lambda: rd.Engine().feed([1], [0])),
                            ("engine must be a string, not int", lambda: rd.analyze("x", engine=5)),
                            ("format must be a string, not bytes", lambda: rd.analyze("x", format=b"u64")),
                            ("kinds must be a string, not int", lambda: rd.analyze("x", kinds=5)),
                            ("block must be an integer, not float", lambda: rd.analyze("x", block=64.0)),
                            ("progress must be a function, not int", lambda: rd.analyze("x", progress=1)),
                            ("PathLike", lambda: rd.analyze(5.5)),
                            ("PathLike", lambda: profile.write(None))):
            with self.assertRaisesRegex(TypeError, said):
                wrong()

    def test_nul_characters_are_refused(self):
        profile = rd.measure([1, 2, 1])
        with tempfile.TemporaryDirectory() as folder:
            for wrong in (lambda: rd.measure([1], "stack\0x"), lambda: rd.measure([1], bins="log\0x"),
                          lambda: profile.rebin("log\0"), lambda: profile.write(folder + "/x\0y"),
                          lambda: rd.Profile.read("/dev/null\0x"), lambda: rd.analyze("/dev/null\0x"),
                          lambda: rd.analyze("/dev/null", engine="stack\0"),
                          lambda: rd.analyze("/dev/null", format="u64\0")):
                with self.assertRaisesRegex(rd.InvalidArgument, "NUL"):
                    wrong()
            self.assertEqual(os.listdir(folder), [])

    def test_a_sink_may_keep_its_arrays(self):
        kept = []
        with rd.Engine("stream", sink=kept.append) as engine:
            engine.feed(np.arange(20000) % 300)
        self.assertEqual(np.concatenate(kept).tolist(), rd.distances(np.arange(20000) % 300).tolist())

    def test_an_engine_is_freed_although_its_sink_refers_to_it(self):
        class Listener:
            def __init__(self):
                self.engine = rd.Engine(sink=self.listen)

            def listen(self, distances):
                pass
        freed = []
        listener = Listener()
        weakref.finalize(listener.engine._handle.owner, freed.append, True)
        del listener
        gc.collect()
        self.assertEqual(freed, [True])

    def test_unfit_room_for_distances(self):
        with rd.Engine("stack") as engine:
            for room in (np.zeros(2, np.uint64), np.zeros(3, np.int32), np.zeros(6, np.uint64)[::2]):
                with self.assertRaises(rd.InvalidArgument):
                    engine.feed(np.arange(3), room)

    def test_subclasses_of_arrays_cannot_state_an_address(self):
        class Elsewhere(np.ndarray):
            @property
            def __array_interface__(self):
                return {"data": (8, False)}

        room = np.zeros(3, np.uint64)
        with rd.Engine("stack") as engine:
            engine.feed(np.array([1, 2, 1]).view(Elsewhere), room.view(Elsewhere))
        self.assertEqual(room.tolist(), [rd.COLD, rd.COLD, 1])

    def test_subclasses_of_arrays_cannot_state_a_shape(self):
        class Longer(np.ndarray):
            shape = property(lambda self: (3,))
            dtype = property(lambda self: np.dtype(np.uint64))
            flags = property(lambda self: np.empty(3, np.uint64).flags)

        with rd.Engine("stack") as engine:
            with self.assertRaises(rd.InvalidArgument):
                engine.feed([1, 2, 1], np.zeros(2, np.uint64).view(Longer))

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
        except rd.Unsupported:  # this build has no libarchive
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


class Axes:
    """Records the drawing calls. Replaces matplotlib's axes, which would be a large dependency."""

    def __init__(self):
        self.lines, self.bands, self.xaxis, self.labels = [], [], self, []

    def plot(self, x, y, **line):
        self.lines.append((np.array(x), np.array(y), line))
        return [types.SimpleNamespace(get_color=lambda: "C0")]

    def fill_between(self, x, low, high, **_):
        self.bands.append((np.array(x), np.array(low), np.array(high)))

    def set_major_formatter(self, formatter):
        self.formatter = formatter

    def set_xscale(self, *scale, **_):
        self.scale = scale

    def set_ylim(self, **_):
        pass

    def set_xlabel(self, text):
        self.labels.append(text)

    set_ylabel = set_xlabel


class Plots(unittest.TestCase):
    def setUp(self):
        self.trace = np.random.default_rng(3).zipf(1.3, 20000) % 5000

    def test_the_curve_in_bytes(self):
        profile, ax = rd.measure(self.trace, block_bytes=64), Axes()
        self.assertIs(profile.plot(ax, label="mine"), ax)
        (x, y, line), = ax.lines
        self.assertEqual((line, ax.scale, ax.bands), ({"label": "mine"}, ("log",), []))
        self.assertEqual((x[0], y[0]), (64, profile.miss_ratio(1)))
        whole = x % 64 == 0
        self.assertTrue(np.allclose(y[whole], profile.miss_ratios([int(n) for n in x[whole] // 64])))
        self.assertEqual((ax.formatter(64, None), ax.formatter(1.5 * 2**20, 0)), ("64 B", "1.5 MiB"))

    def test_blocks_bounds_and_bands(self):
        ax = rd.measure(self.trace, "bk", bound=100).plot(Axes())
        self.assertEqual((ax.lines[0][0][-1], ax.labels), (100, ["cache size in blocks", "miss ratio"]))
        ax = rd.measure(self.trace, "shards:rate=0.5").plot(Axes())
        (x, low, high), = ax.bands
        self.assertTrue(x[0] >= 2 and np.all(low <= high) and np.any(low < high))
        rd.measure([1]).plot(Axes())
        rd.measure([]).plot(Axes())

    def test_without_matplotlib(self):
        with unittest.mock.patch.dict(sys.modules, {"matplotlib": None}):
            with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                rd.measure([1, 2, 1]).plot()

    def test_new_axes_come_from_matplotlib(self):
        pyplot = types.SimpleNamespace(subplots=lambda: (None, Axes()))
        package = types.ModuleType("matplotlib")
        package.pyplot = pyplot
        with unittest.mock.patch.dict(sys.modules, {"matplotlib": package, "matplotlib.pyplot": pyplot}):
            self.assertEqual(len(rd.measure([1, 2, 1]).plot().lines), 1)


class Packaging(unittest.TestCase):
    def test_version_and_files(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "reusedist", "py.typed")))
        from reusedist._native import VERSION
        self.assertEqual((VERSION, rd.__version__), (rd.version(), rd.version()))

    def test_public_names(self):
        public = {name for name in dir(rd) if not name.startswith("_")}
        self.assertEqual(public, set(rd.__all__))
        for name in rd.__all__:
            thing = getattr(rd, name)
            if name != "COLD":
                self.assertEqual(thing.__module__, "reusedist")
                self.assertTrue(thing.__doc__, name)
        for name, thing in vars(rd.Profile).items():
            if not name.startswith("_"):
                self.assertTrue(thing.__doc__, name)


if __name__ == "__main__":
    unittest.main(warnings="error")
