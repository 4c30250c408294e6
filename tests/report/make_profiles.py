"""Makes profiles for the tests of the report page. The profiles are invented but consistent: all sums are correct.

usage: make_profiles.py DIRECTORY

A run is a list of cells. A cell is a number of references with the same distance, line of code, data region, line of
the previous use, and window. Everything in a profile is a sum over cells.

  before.json, after.json   a matrix multiplication, and the same with its loops interchanged
  simulated.json            the first multiplication, with simulated caches
  hostile.json              names, paths and source text that try to be HTML, scripts and worse
  long.json                 10^10 references, thousands of functions, 512 windows, some 10 MB
  plain.json                a histogram only
  sampled.json              a histogram only, with a band
  one_thread.json           private caches of one thread, in lockstep
  threads.json              private caches of three threads, two of which share a block falsely
  sharing.json              the data that nine threads share, with a block of two falsely shared counters
  odd0.json ...             profiles with few or unusual contents
"""
import collections
import json
import os
import random
import sys

INFINITE = None
Cell = collections.namedtuple("Cell", "line data use window distance count")
LEVELS = [("L1", 32 << 10), ("L2", 1 << 20), ("L3", 32 << 20)]
BLOCK = 64


def log_bin(distance):
    k = distance.bit_length()
    return (0, 0) if k == 0 else (1 << (k - 1), (1 << k) - 1)


def loglinear_bin(distance):
    return log_bin(distance) if distance < 2048 else (distance // 2048 * 2048,
                                                      distance // 2048 * 2048 + 2047)


class Share:
    """The counts of a share of the references."""

    def __init__(self):
        self.references = self.infinite = self.distance_sum = 0
        self.misses, self.bins = [0] * len(LEVELS), collections.Counter()

    def add(self, cell):
        self.references += cell.count
        if cell.distance is INFINITE:
            self.infinite += cell.count
        else:
            self.distance_sum += cell.distance * cell.count
            self.bins[log_bin(cell.distance)] += cell.count
        for i, (_, size) in enumerate(LEVELS):
            if cell.distance is INFINITE or cell.distance >= size // BLOCK:
                self.misses[i] += cell.count

    def bin_rows(self):
        return [[low, high, n] for (low, high), n in sorted(self.bins.items())]

    def keys(self):
        return {"references": self.references, "infinite": self.infinite,
                "distance_sum": self.distance_sum, "misses": self.misses, "bins": self.bin_rows()}

    def pair_keys(self):
        return {"count": self.references, "distance_sum": self.distance_sum,
                "misses": self.misses}


def by_misses(items):
    return sorted(items, key=lambda item: (-sum(item[1].misses), -item[1].references))


class Run:
    """`lines`: (source, line, function, text); `functions`: (name, source, line, module); `data`:
    (kind, name, bytes)."""

    def __init__(self, name, cells, lines, functions, data, sources, snippets=(), windows=1,
                 phases=(0,)):
        self.name, self.cells, self.lines, self.functions = name, cells, lines, functions
        self.data, self.sources, self.snippets = data, sources, snippets
        self.windows, self.phases = windows, phases

    def grouped(self, key):
        shares = collections.defaultdict(Share)
        for cell in self.cells:
            group = key(cell)
            if group is not None:
                shares[group].add(cell)
        return by_misses(shares.items())

    def attribution(self):
        functions = self.grouped(lambda c: self.lines[c.line][2])
        lines = self.grouped(lambda c: c.line)
        data = self.grouped(lambda c: c.data)
        pairs = self.grouped(lambda c: None if c.distance is INFINITE else (c.use, c.line))
        line_data = self.grouped(lambda c: (c.line, c.data))[:200]
        at_function = {f: i for i, (f, _) in enumerate(functions)}
        at_line = {n: i for i, (n, _) in enumerate(lines)}
        at_data = {d: i for i, (d, _) in enumerate(data)}
        return {
            "cost": {"seconds": 0.25, "bytes": 4 << 20, "dropped_pairs": 0},
            "sources": self.sources,
            "functions": [dict(zip(("name", "source", "line", "module"), self.functions[f]),
                               **share.keys()) for f, share in functions],
            "lines": [{"source": self.lines[n][0], "line": self.lines[n][1],
                       "function": at_function[self.lines[n][2]], **share.keys(),
                       "text": self.lines[n][3]} for n, share in lines],
            "pairs": [{"use": at_line[use], "reuse": at_line[reuse], **share.pair_keys()}
                      for (use, reuse), share in pairs if use in at_line],
            "data": [{"kind": self.data[d][0], "name": self.data[d][1], "line": None,
                      "bytes": self.data[d][2], "blocks": share.infinite, **share.keys(),
                      "words_used": 0.5} for d, share in data],
            "line_data": [{"line": at_line[n], "data": at_data[d], "misses": share.misses}
                          for (n, d), share in line_data],
            "snippets": list(self.snippets)}

    def contexts(self, calls):
        """Returns calling contexts: `calls` has the parent and the line of each node but the first one. Each cell
        counts for one of the nodes with its line. Two references of the heaviest node move to a node "(others)"."""
        frames, rng = [], random.Random(1)
        for i, (source, line, function, _) in enumerate(self.lines):
            frames.append({"function": self.functions[function][0], "file": self.sources[source], "line": line,
                           "module": self.functions[function][3], "own": source % 3 != 1, "inlined": i % 7 == 6})
        frames.append({"function": "below<...>::operator()", "file": None, "line": 0, "module": "libc.so.6", "own": False,
                       "inlined": False})
        nodes = [{"parent": None, "frame": len(frames) - 1, "references": 0, "misses": [0] * len(LEVELS)}]
        places = collections.defaultdict(list)
        for i, (parent, line) in enumerate(calls, 1):
            places[line].append(i)
            nodes.append({"parent": parent, "frame": line, "references": 0, "misses": [0] * len(LEVELS)})
        for cell in self.cells:
            share, node = Share(), nodes[rng.choice(places[cell.line])]
            share.add(cell)
            node["references"] += share.references
            node["misses"] = [a + b for a, b in zip(node["misses"], share.misses)]
        moved = {"references": 2, "misses": [1] * len(LEVELS)}
        heaviest = max(nodes, key=lambda node: node["misses"][-1])
        heaviest["references"] -= 2
        heaviest["misses"] = [n - 1 for n in heaviest["misses"]]
        nodes.append({"parent": 1, "frame": len(frames), **moved})
        frames.append({"function": "(others)", "file": None, "line": 0, "module": None, "own": False, "inlined": False})
        return {"frames": frames, "nodes": nodes,
                "other": {"references": 0, "misses": [0] * len(LEVELS), "contexts": 0}}

    def window_rows(self):
        shares = [Share() for _ in range(self.windows)]
        for cell in self.cells:
            shares[cell.window].add(cell)
        rows, at = [], 0
        for share in shares:
            rows.append({"from": at, **share.keys()})
            at += share.references
        return {"references": max(row["references"] for row in rows), "rows": rows,
                "phases": list(self.phases),
                "phase_numbers": [1 + i % 2 for i in range(len(self.phases))]}

    def spatial(self, total):
        words = total.infinite * 4
        return {"word_bytes": 8, "blocks_loaded": total.infinite, "words_used": words,
                "utilisation": 0.5,
                "levels": [{"fetched": n, "words": 2 * n} for n in total.misses],
                "word_profile": {"references": total.references, "infinite": total.infinite,
                                 "histogram": [row + [row[0] * row[2]] for row in total.bin_rows()]}}

    def profile(self, details=True, calls=None):
        total, bins, sums = Share(), collections.Counter(), collections.Counter()
        for cell in self.cells:
            total.add(cell)
            if cell.distance is not INFINITE:
                edges = loglinear_bin(cell.distance)
                bins[edges] += cell.count
                sums[edges] += cell.distance * cell.count
        profile = {
            "schema": "reusedist.profile/1.1", "tool": "reusedist 0.1.0",
            "references": total.references, "blocks": total.infinite, "cold": total.infinite,
            "infinite": total.infinite, "block_bytes": BLOCK, "kinds": "LS", "bound": None,
            "engine": {"name": "stream", "options": "axis=8"}, "exact": True,
            "error": {"kind": "exact", "bound": 0}, "binning": "loglinear", "sums_known": True,
            "partial": False, "skipped": 0, "seconds": 12.5,
            "sources": [{"path": self.name, "format": "native", "bytes": 1 << 30,
                         "references": total.references - 7}]}
        if details:
            profile["levels"] = [{"name": name, "bytes": size} for name, size in LEVELS]
            profile["attribution"] = self.attribution()
            profile["windows"] = self.window_rows()
            profile["spatial"] = self.spatial(total)
        if calls:
            profile["schema"] = "reusedist.profile/1.3"
            profile["contexts"] = self.contexts(calls)
        profile["histogram"] = [[low, high, n, sums[low, high]]
                                for (low, high), n in sorted(bins.items())]
        return profile


# ---- the runs ----

MATMUL = ["void multiply(int n, const double *a, const double *b, double *c) {",
          "    for (int i = 0; i < n; i++)",
          "        for (int j = 0; j < n; j++) {",
          "            double sum = 0;",
          "            for (int k = 0; k < n; k++)",
          "                sum += a[i * n + k] * b[k * n + j];",
          "            c[i * n + j] = sum;",
          "        }",
          "}"]


MATMUL_FILE = ["/* Multiplies two matrices. */", *[""] * 7, *MATMUL, *[f"/* {i} */" for i in range(18, 31)],
               "    fill(b, n);", "}"]


def matmul(name, far, source="/home/user/src/matmul.c"):
    """Makes the profile of a multiplication of two matrices of 1000 x 1000 doubles. `far` means that b is read by
    columns. `source` is the path of the source file."""
    lines = [(0, 14, 0, MATMUL[5]), (0, 15, 0, MATMUL[6]), (0, 31, 1, "    fill(b, n);")]
    functions = [("multiply", 0, 9, "matmul"), ("main", 0, 25, "matmul")]
    data = [("heap", "matrix_new (matmul.c:22)", 8 << 20), ("heap", "matrix_new (matmul.c:23)", 8 << 20),
            ("global", "c", 8 << 20), ("stack", "stack of thread 1", 16384)]
    cells, windows = [], 64
    for w in range(windows):
        if w < 8:  # in these windows, the matrices are filled
            cells.append(Cell(2, w % 2, 2, w, INFINITE, 31250))
            cells.append(Cell(2, w % 2, 2, w, 0, 218750))
            continue
        cells.append(Cell(0, 0, 0, w, 1, 1_500_000))
        cells.append(Cell(0, 0, 0, w, 1130 if far else 140, 200_000))
        if far:
            cells.append(Cell(0, 1, 0, w, 1001, 900_000))
            cells.append(Cell(0, 1, 0, w, 126_000, 800_000))
        else:
            cells.append(Cell(0, 1, 0, w, 2, 1_500_000))
            cells.append(Cell(0, 1, 0, w, 126_000, 200_000))
        cells.append(Cell(1, 2, 1, w, 40, 15_000))
        cells.append(Cell(1, 2, 1, w, INFINITE, 2_232))
        cells.append(Cell(1, 3, 0, w, 3, 5_000))
    return Run(name, cells, lines, functions, data, [source],
               [{"source": 0, "first": 9, "lines": MATMUL}], windows, (0, 8))


EVIL = ["</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 1'>",
        "\"'`${window.hacked = 1}", "a\u2028b\u2029c", "\u202egnp.exe", "<!-- <script>", "&lt;b&gt;",
        "javascript:window.hacked=1", "]]>", "\\u003c/script>", "x" * 300, '=HYPERLINK("a,b")', "-1+1"]


def simulated():
    """Returns the profile of the multiplication that reads b by columns, with simulated caches."""
    profile = matmul("matmul naive", True).profile()
    references = profile["references"]

    def level(name, arrive, cold, capacity, conflict):
        counts = dict.fromkeys(("far_hits", "prefetches", "useful", "useless", "invalidations"), 0)
        return {"name": name, "references": arrive, "misses": cold + capacity + conflict, "cold": cold,
                "capacity": capacity, "conflict": conflict, "writebacks": cold // 2, **counts}

    profile["hierarchy"] = {"caches": "L1I=32K:8,L1D=32K:8,L2=1M:16:latency=14", "machine": "tested",
                            "clock_ghz": 2, "memory_ns": 100, "parallel": 10, "causes": True, "levels": [
        level("L1I", references // 4, 10, 0, 0), level("L1D", references // 2, 400, 300, 400_000),
        level("L2", 400_710, 400, 0, 0)]}
    code = profile["attribution"]
    first, second = [10, 0, 0, 400, 300, 300_000, 400, 0, 0], [0, 0, 0, 0, 0, 100_000, 0, 0, 0]

    def entries(key):
        return [first, second] + [[0] * 9] * (len(code[key]) - 2)

    profile["causes"] = {"caches": 3, "functions": entries("functions"), "lines": entries("lines"),
                         "data": entries("data"), "line_conflicts": [], "conflicts": [
        {"cache": 1, "data": 0, "evictor": 1, "count": 300_000, "offset": None},
        {"cache": 1, "data": 1, "evictor": 0, "count": 100_000, "offset": None}]}
    return profile


def hostile():
    functions = [(text, 0, 1, text) for text in EVIL]
    lines = [(i, i + 1, i, text) for i, text in enumerate(EVIL)]
    data = [("heap", text, 100) for text in EVIL]
    cells = [Cell(i, i, (i + 1) % len(EVIL), 0, 1000 * i, 100 + i) for i in range(len(EVIL))]
    cells.append(Cell(0, 0, 0, 0, INFINITE, 50))
    return Run(EVIL[0], cells, lines, functions, data, EVIL,
               [{"source": 0, "first": 1, "lines": EVIL}])


def long_run(n_functions=3000, n_lines=6000, n_data=1500, windows=512, n_cells=30_000):
    rng = random.Random(7)
    functions = [(f"namespace_{i % 40}::Class_{i % 500}<int>::member_function_{i}(std::vector<int>&)",
                  i % 300, 10 + i, "libsomething.so") for i in range(n_functions)]
    lines = [(rng.randrange(300), rng.randrange(1, 4000), rng.randrange(n_functions),
              f"    total += table[hash(key_{i}) % size].next->value;") for i in range(n_lines)]
    data = [("heap", f"allocate_{i} (file_{i % 300}.cc:{i})", 4096 << i % 12) for i in range(n_data)]
    cells, per_cell = [], 10**10 // n_cells
    for i in range(n_cells):
        line = min(int(rng.paretovariate(0.6)) - 1, n_lines - 1) if i >= n_lines else i
        phase = i % windows // 171
        far = int(2 ** rng.uniform(0, 36 - 3 * phase))
        cells.append(Cell(line, line % n_data, rng.randrange(n_lines), i % windows,
                          INFINITE if i % 50 == 0 else far, per_cell))
    return Run("/traces/long.trace", cells, lines, functions, data,
               [f"/usr/src/something/lib/file_{i}.cc" for i in range(300)], (), windows,
               (0, 171, 342))


def threads():
    """Returns a profile of private caches. Each thread has 100 references with distance 0."""
    rows = [{"process": 1, "thread": n, "references": 110 + misses, "stores": 60, "cold": 10, "coherence": misses,
             "true_sharing": misses // 10, "false_sharing": misses - misses // 10, "upgrades": 5,
             "histogram": [[0, 0, 100, 0]]} for n, misses in ((1, 40), (2, 80), (3, 0))]
    return {"schema": "reusedist.profile/1.3", "references": 450, "blocks": 25, "cold": 30, "infinite": 150,
            "block_bytes": 64, "exact": True, "error": {"kind": "exact"}, "binning": "log",
            "threads": {"interleave": "recorded", "rows": rows}, "histogram": [[0, 0, 300, 0]]}


def one_thread():
    """Returns a profile of the private caches of one thread, in lockstep."""
    profile = threads()
    profile["threads"]["interleave"] = "lockstep:1"
    profile["threads"]["rows"] = profile["threads"]["rows"][2:]
    return {**profile, "references": 110, "cold": 10, "infinite": 10, "histogram": [[0, 0, 100, 0]],
            "interleaving": {"turn": 1, "reorder": 1048576, "threads": 1, "overflows": 0, "recorded_coherence": 0}}


def sharing():
    """Returns a profile with shared data and no private caches."""
    block = {"address": 4096, "threads": 3, "loads": 100, "stores": 200, "true_sharing": 4, "false_sharing": 90,
             "readers": "1 2 3", "writers": "1 2", "data": "counters", "lines": "count.c:7 count.c:9",
             "first": "counters.left", "second": "counters.right", "first_offset": 0, "second_offset": 16, "padding": 48,
             "removes": 90, "items": [{"first": 0, "last": 7, "readers": "1", "writers": "1"},
                                      {"first": 16, "last": 23, "readers": "", "writers": "2"},
                                      {"first": 40, "last": 47, "readers": "1 3", "writers": "1 2"},
                                      {"first": 63, "last": 63, "readers": "3", "writers": ""}]}
    other = {**block, "address": 8192, "false_sharing": 0, "true_sharing": 6, "data": EVIL[0], "lines": "", "first": None,
             "second": None, "first_offset": 0, "second_offset": 0, "padding": 0, "removes": 0, "items": []}
    timelines = [{"process": 1, "thread": n, "misses": [2 * n, 0, 10 - 2 * n if n < 5 else 0, 0 if n < 5 else 20 - 2 * n]}
                 for n in (1, 2, 3, 4, 5, 6, 7)]
    return {"schema": "reusedist.profile/1.3", "references": 1000, "blocks": 25, "cold": 30, "infinite": 30,
            "block_bytes": 64, "exact": True, "error": {"kind": "exact"}, "binning": "log",
            "sharing": {"interleave": "recorded", "references": 1000, "threads": 9, "true_sharing": 10,
                        "false_sharing": 90, "shared_blocks": 2, "blocks": [block, other], "data": [
                            {"name": "counters", "true_sharing": 4, "false_sharing": 90, "removals": 0, "removes": 90}],
                        "lines": [], "window": 256, "timelines": timelines},
            "histogram": [[0, 0, 970, 0]]}


def odd():
    """Returns profiles with few or unusual contents."""
    exact = {"exact": True, "error": {"kind": "exact"}}
    big = (1 << 64) - 1
    share = {"references": 5, "infinite": 2, "distance_sum": 0, "misses": [], "bins": [[0, 0, 3]]}
    for facts in (
            {"references": 0, "infinite": 0, **exact},
            {"references": 5, "infinite": 0, "exact": False, "error": {"kind": "none"}},
            {"references": 5, "blocks": 5, "cold": 5, "infinite": 5, "block_bytes": 64, **exact},
            {"references": 5, "infinite": 2, "bound": 7, "block_bytes": 64, "exact": False,
             "error": {"kind": "sampled", "bound": 0.5, "rate": 0.5, "half_width": [0.5]},
             "binning": "full", "histogram": [[6, 6, 3, 18]]},
            {"references": big, "infinite": 0, **exact, "binning": "edges", "sums_known": False,
             "histogram": [[0, big - 1, big, None]]},
            {"references": 5, "blocks": 2, "cold": 2, "infinite": 2, "exact": False,
             "error": {"kind": "time"}, "histogram": [[1, 1, 3, 3]]},
            {"references": 5, "infinite": 2, "bound": 1, "block_bytes": 64, **exact,
             "histogram": [[0, 0, 3, 0]]},
            {"references": 5, "infinite": 2, "block_bytes": 64, **exact, "histogram": [[0, 0, 3, 0]],
             "levels": [], "attribution": {
                 "sources": [], "functions": [{"name": "f", "source": None, **share}],
                 "lines": [{"source": None, "line": 0, "function": 0, **share}], "pairs": [],
                 "data": [{"kind": "other", "name": "d", "line": None, "blocks": 2,
                           "words_used": None, **share}]}}):
        yield {"schema": "reusedist.profile/1", "binning": "log", "histogram": [], **facts}


def write(directory, name, profile):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        json.dump(profile, file)


def main(directory):
    source = os.path.join(directory, "matmul.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(MATMUL_FILE))
    before = matmul("matmul naive", True, source).profile(calls=[(0, 2), (1, 0), (1, 1), (2, 0)])
    after = matmul("matmul interchanged", False, source).profile()
    after["attribution"]["lines"][0]["text"] += " // as it was"
    write(directory, "before.json", before)
    write(directory, "after.json", after)
    write(directory, "simulated.json", simulated())
    write(directory, "threads.json", threads())
    write(directory, "one_thread.json", one_thread())
    write(directory, "sharing.json", sharing())
    write(directory, "hostile.json", hostile().profile(calls=[(i, i) for i in range(len(EVIL))]))
    rng = random.Random(5)
    calls = [(max(0, i - rng.randrange(3000)), i % 6000) for i in range(100_000)]
    write(directory, "long.json", long_run().profile(calls=calls))
    plain = matmul("matmul", True).profile(details=False)
    write(directory, "plain.json", plain)
    plain.update(exact=False, error={"kind": "sampled", "bound": 0.05, "rate": 0.1,
                                     "half_width": [0.05 - 0.002 * k for k in range(24)]})
    write(directory, "sampled.json", plain)
    for i, profile in enumerate(odd()):
        write(directory, f"odd{i}.json", profile)


if __name__ == "__main__":
    main(sys.argv[1])
