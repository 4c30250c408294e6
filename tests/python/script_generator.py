"""Generates random scripts that create, copy, share and drop the objects of the package, from several threads, and
then exit."""
import random

PRELUDE = '''\
import atexit, builtins, copy, gc, os, pickle, sys, tempfile, threading, weakref
import numpy as np
import reusedist as rd

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "ids.u64")
(np.arange(40000, dtype=np.uint64) % 700).tofile(path)
profiles, engines, arrays, others, threads = [rd.measure([1, 2, 1])], [], [], [], []


def attempt(action, *arguments):
    """Ignores errors with a clear message, because the test is about crashes. Python raises ImportError while it
    exits."""
    try:
        return action(*arguments)
    except (rd.Error, TypeError, ImportError):
        return None


def keep(where, thing):
    if thing is not None:
        where.append(thing)


def start(daemon, action, *arguments):
    thread = threading.Thread(target=attempt, args=(action, *arguments), daemon=daemon)
    thread.start()
    if not daemon:
        threads.append(thread)


def repeat(action, *arguments):
    while True:
        attempt(action, *arguments)


def fail_and_keep(profile):
    """Makes a cycle of an exception, its frame and the profile."""
    kept = []
    try:
        profile.rebin("nope")
    except rd.InvalidArgument as error:
        kept.append(error)
    kept.append(kept)


class Cycle:
    """An object that refers to itself and uses its contents when it is collected."""

    def __init__(self, *held):
        self.held, self.me = held, self

    def __del__(self):
        for thing in self.held:
            try:
                attempt(lambda: thing.miss_ratio(3) if isinstance(thing, rd.Profile) else thing.feed([7]))
            except SystemExit:  # in a daemon thread, when the interpreter exits
                pass


class Listener:
    """An object that owns an engine and is its sink."""

    def __init__(self, spec, threads, habit):
        self.seen, self.habit = 0, habit
        self.engine = rd.Engine(spec, threads=threads, sink=self.listen)
        engines.append(self.engine)

    def listen(self, distances):
        self.seen += distances.size
        if self.habit == "keep":
            arrays.append(distances)
        elif self.habit == "close":
            attempt(self.engine.close)
        elif self.habit == "feed":
            attempt(self.engine.feed, [1, 2, 3])
        elif self.habit == "collect":
            engines.clear()
            gc.collect()
        elif self.habit == "raise":
            raise rd.Canceled("enough")


def feed_all(engine, times):
    for _ in range(times):
        attempt(engine.feed, np.arange(3000) % 500)
    keep(profiles, attempt(engine.profile))


def read_arrays():
    for array in arrays:
        if array.dtype.names is None:
            array.sum()
        else:
            array[array.dtype.names[-1]].sum()

'''

# Statements. The words in braces are replaced at random.
STATEMENTS = [
    'keep(profiles, attempt(lambda: rd.measure(np.arange({refs}) % {blocks}, "{engine}", threads={threads})))',
    'keep(profiles, attempt(lambda: rd.measure(np.arange({refs}) % {blocks}, "{engine}", bound={blocks})))',
    'keep(profiles, attempt(lambda: rd.analyze(path, engine="{engine}", block="addr", threads={threads})))',
    'keep(profiles, attempt(lambda: rd.analyze(path, block="addr", partial={flag}, progress=lambda n, *_: n < {refs})))',
    'keep(engines, attempt(lambda: rd.Engine("{engine}", threads={threads})))',
    'keep(engines, attempt(lambda: rd.Engine("{engine}", sink=arrays.append)))',
    'keep(others, attempt(lambda: Listener("{engine}", {threads}, "{habit}")))',
    'attempt(lambda: rd.Engine("{engine}", bins="nope"))',
    'attempt(lambda: {an_engine}.__init__("{engine}"))',
    'attempt(feed_all, {an_engine}, {few})',
    'attempt(lambda: {an_engine}.feed(np.arange({refs}) % {blocks}, np.empty({refs}, np.uint64)))',
    'y = np.arange({refs}, dtype=np.uint64) % {blocks}; attempt(lambda: {an_engine}.feed(y, y))',
    'attempt(lambda: {an_engine}.close())',
    'attempt(lambda: {an_engine}.profile())',
    'keep(profiles, attempt(copy.{copy}, {a_profile}))',
    'keep(engines, attempt(copy.{copy}, {an_engine}))',
    'keep(others, attempt(copy.{copy}, [{a_profile}, {{"p": {a_profile}}}]))',
    'keep(profiles, attempt(lambda: pickle.loads(pickle.dumps({a_profile}))))',
    'keep(others, attempt(copy.{copy}, {an_engine}._handle))',
    'attempt(pickle.dumps, {an_engine})',
    'keep(profiles, attempt(lambda: {a_profile}.rebin("log")))',
    'attempt(lambda: {a_profile}.write(path + ".json")); keep(profiles, attempt(lambda: rd.Profile.read(path + ".json")))',
    'arrays.append({a_profile}.bins)',
    'keep(arrays, attempt(lambda: {a_profile}.curve()))',
    'read_arrays()',
    'fail_and_keep({a_profile})',
    'Cycle({a_profile}, {an_engine})',
    'others.append(Cycle({a_profile}, {an_engine}))',
    'others.append(weakref.ref({an_engine}, lambda _: gc.collect()))',
    'others.append([{a_profile}, {an_engine}, others])',
    'sys.kept_{few} = {a_profile}; builtins.kept_{few} = {an_engine}',
    'atexit.register(attempt, lambda kept={a_profile}: kept.rebin("log").curve())',
    'atexit.register(attempt, feed_all, {an_engine}, {few})',
    'atexit.register(attempt, lambda: rd.analyze(path, progress=lambda *_: True))',
    'start({flag}, feed_all, {an_engine}, {few})',
    'start({flag}, lambda engine={an_engine}: engine.close())',
    'start({flag}, lambda profile={a_profile}: [profile.curve(), profile.rebin("log"), profile.to_json()])',
    'start({flag}, lambda: rd.analyze(path, threads={threads}, progress=lambda *_: True))',
    'start(True, repeat, feed_all, {an_engine}, 1)',
    'start(True, repeat, lambda: rd.analyze(path, threads={threads}, progress=lambda *_: True))',
    'start(True, repeat, rd.measure, np.arange({refs}), "{engine}")',
    'start(True, repeat, lambda: Listener("{engine}", {threads}, "{habit}").engine.feed(np.arange({refs})))',
    'profiles[1:] = profiles[:{few}]; gc.collect()',
    'del engines[{few}:]; gc.collect()',
    'del others[:]; arrays.clear(); gc.collect()',
    'gc.collect()',
]

ENDINGS = ['', 'for thread in threads: thread.join()', 'sys.exit(0)', 'profiles, engines = [], []',
           'others.append(others); del others', 'gc.collect(); gc.disable()', 'raise SystemExit']


def make_script(seed, engines):
    """Returns the text of script number `seed`, which uses the named engines."""
    rng = random.Random(seed)

    def words():
        return {"refs": rng.choice((1, 10, 300, 5000)), "blocks": rng.choice((1, 7, 100, 3000)),
                "engine": rng.choice(engines), "threads": rng.choice((1, 2, 3)),
                "habit": rng.choice(("count", "keep", "close", "feed", "collect", "raise")),
                "flag": rng.choice((True, False)), "few": rng.randint(1, 4),
                "copy": rng.choice(("copy", "deepcopy")),
                "a_profile": f"profiles[{rng.randint(0, 3)} % len(profiles)]",
                "an_engine": f"(engines or [rd.Engine()])[-{rng.randint(1, 2)}:][0]"}

    hurry = f"sys.setswitchinterval({rng.choice((1e-6, 1e-4, 5e-3))})"  # threads interleave differently
    body = [hurry] + [rng.choice(STATEMENTS).format(**words()) for _ in range(rng.randint(5, 25))]
    return PRELUDE + "\n".join(body + [rng.choice(ENDINGS)]) + "\n"
