"""Computes the numbers of the documents from the result files in bench/results.

scripts/check-numbers evaluates the expressions `{= ... }` of the page templates (*.md.in) with the
functions of this module. A function returns a number, a list of numbers, or a whole Markdown table.
"""
import functools
import json
import math
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
mean = statistics.mean


# ---- reading ----

@functools.lru_cache(maxsize=None)
def lines(name):
    """Returns the lines of bench/results/NAME.jsonl."""
    with open(ROOT / f"bench/results/{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def find(name, **where):
    """Returns the lines whose fields have these values."""
    return [line for line in lines(name) if all(line.get(key) == value for key, value in where.items())]


def line(name, **where):
    """Returns the only line whose fields have these values."""
    found = find(name, **where)
    if len(found) != 1:
        raise LookupError(f"{name}.jsonl has {len(found)} lines with {where}")
    return found[0]


def exists(name):
    return (ROOT / f"bench/results/{name}.jsonl").exists()


@functools.lru_cache(maxsize=None)
def section(heading):
    """Returns the text of a section of bench/results/prediction.md."""
    text = (ROOT / "bench/results/prediction.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text.split(f"\n## {heading}", 1)[1], maxsplit=1, flags=re.M)[0]


def prediction_rows(heading, table=0):
    """Returns the rows of a table of prediction.md, as dictionaries by column."""
    tables = re.findall(r"(?:^\|.*\n)+", section(heading), flags=re.M)
    rows = [[cell.strip() for cell in row.strip("|\n").split("|")] for row in tables[table].splitlines()]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def predicted(heading, column, row="average", key=None, table=0):
    """Returns one number of prediction.md: the column of the row that has `row` in the column `key`, by default the first
    column."""
    rows = prediction_rows(heading, table)
    key = key or next(iter(rows[0]))
    found = [r[column] for r in rows if r[key] == row]
    if len(found) != 1:
        raise LookupError(f"prediction.md, {heading}: {len(found)} rows {row}")
    return float(found[0].rstrip("*"))


def overlap(a, b, table=0):
    """Returns the overlap of the signatures of two programs, in percent (Figure 9)."""
    blocks = re.findall(r"```\n(.*?)```", section("Figure 9"), flags=re.S)
    header, *rows = [row.split() for row in blocks[table].replace(" %", "%").splitlines()[1:]]
    return float(next(row for row in rows if row[0] == a)[1 + header.index(b)].rstrip("%"))


@functools.lru_cache(maxsize=None)
def programs():
    """Returns the table bench/programs/programs.txt as a dictionary per program."""
    entries = []
    for row in (ROOT / "bench/programs/programs.txt").read_text(encoding="utf-8").splitlines():
        key, _, value = row.partition(" ")
        if key == "program":
            entries.append({"program": value.strip()})
        elif entries and key and key != "#":
            entries[-1][key] = value.strip()
    return entries


def distinct_programs():
    """Returns the number of programs; versions and inputs of the compiler are one program."""
    return len({p["program"].split("-")[0] if p["program"].startswith("cc1") else p["program"]
                for p in programs()})


# ---- text ----

NUMBERS = ("no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
           "sixteen seventeen eighteen nineteen twenty").split()


def word(n):
    """Returns a small number as a word."""
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def each(values, spec, joined=", "):
    return joined.join(format(value, spec) for value in values)


def span(values, spec):
    """Returns the range from the smallest to the largest value as a text."""
    least, most = format(min(values), spec), format(max(values), spec)
    return least if least == most else f"{least} to {most}"


def table(header, rows):
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells)


def millions(n):
    return f"{n / 1e6:.2f} M" if n >= 1e6 else f"{n / 1e3:.0f} K"


# ---- Parda: Table IV ----

TABLE4 = "table4-epyc-2"
TABLE4_COLUMNS = {"record": "recording", "transfer": "with transfer", "live": "live, blocks of 64 bytes",
                  "live_addr": "live, addresses", "bounded_addr": "live, addresses, bound of 2 M entries"}
TABLE4_PAPER = {"record": 10.15, "transfer": 16.29, "bounded_addr": 28.48}


def table4_rows():
    return [row for row in lines(TABLE4) if "program" in row]


def slowdown(row, column):
    """Returns the median of the ratios within the turns. Rows of an earlier version of the script have no turns."""
    turns = row.get("turns", [row])
    return statistics.median(turn[column]["wall_s"] / turn["original"]["wall_s"] for turn in turns)


def slowdowns(column):
    """Returns the slow-downs of the programs that have this column: the time with it divided by that of the program alone."""
    return [slowdown(row, column) for row in table4_rows() if column in row]


def without_start():
    """Returns the slow-downs of recording, without the time that the recorder takes to start."""
    start = lines(TABLE4)[0]["start_s"]
    return [(row["record"]["wall_s"] - start) / row["original"]["wall_s"] for row in table4_rows()]


def table4_sentence():
    """Returns the averages of Table IV, for the columns that the result file has."""
    rows, parts = table4_rows(), []
    for column, name in TABLE4_COLUMNS.items():
        values = slowdowns(column)
        if values:
            some = "" if len(values) == len(rows) else f", {word(len(values))} programs"
            parts.append(f"{name} {mean(values):.1f} ({span(values, '.1f')}{some})")
        else:
            parts.append(f"{name}: not measured")
    repeat = {row["repeat"] for row in rows}
    how = "one run each" if repeat == {1} else f"medians of {span(repeat, 'd') if len(repeat) > 1 else word(*repeat)}"
    return f"{word(len(rows))} programs, {how}: " + "; ".join(parts)


def table4_turns():
    """Returns whether the program alone was measured in turns with all other columns, in one run."""
    return all("turns" in row for row in table4_rows())


def table4_table():
    def cell(row, column):
        return f"{slowdown(row, column):.1f}" if column in row else "-"

    def average(column):
        return f"**{mean(slowdowns(column)):.1f}**" if slowdowns(column) else "-"
    rows = [[row["program"], f"{row['references']:.3g}", millions(row["blocks"]),
             millions(row["addresses"]) if "addresses" in row else "-", f"{row['original']['wall_s']:.2f} s",
             *(cell(row, column) for column in TABLE4_COLUMNS)] for row in table4_rows()]
    rows.append(["**average**", "", "", "", "", *(average(column) for column in TABLE4_COLUMNS)])
    rows.append(["Parda, average of its programs, 64 processors", "", "", "", "",
                 *(TABLE4_PAPER.get(column, "") for column in TABLE4_COLUMNS)])
    return table(["program", "references", "blocks", "addresses", "alone", *TABLE4_COLUMNS.values()], rows)


# ---- Parda and Carr-Nicol: scripts/bench-parda ----

PARDA = "xeon-16-parda"
LONG = "xeon-16-long"
EPYC_PARDA = "epyc-2-parda"
TRACES = {"zipf": "Zipf 1.2, 256 K blocks", "phases": "phases", "sawtooth": "sawtooth, 4 K blocks",
          "flat": "flat: Zipf 0.99, 4 M blocks", "cc1-lsi.trace": "cc1", "gnugo-lsi.trace": "gnugo"}


def stream_seconds(trace, name=PARDA):
    return line(name, suite="table4", trace=trace, engine="stream")["median_seconds"]


def ranks_line(trace, ranks, name=PARDA, fixup="pipelined", transport="threads"):
    suffix = "" if fixup == "pipelined" else "fixup=postfix"
    if transport == "mpi":
        engine = "parda" + (f":{suffix}" if suffix else "")
        return line(name, suite="mpi", trace=trace, ranks=ranks, engine=engine)
    engine = f"parda:ranks={ranks}" + (f",{suffix}" if suffix else "")
    return line(name, suite="table4", trace=trace, ranks=ranks, engine=engine)


def rank_seconds(trace, ranks, **how):
    return ranks_line(trace, ranks, **how)["median_seconds"]


def parda_speedup(trace, ranks, name=PARDA, **how):
    return stream_seconds(trace, name) / rank_seconds(trace, ranks, name=name, **how)


def fixup_percent(trace, ranks, **how):
    found = ranks_line(trace, ranks, **how)
    return 100 * found["fixup_seconds"] / found["median_seconds"]


def fixup_percents(fixup, ranks=16):
    return [fixup_percent(trace, ranks, fixup=fixup) for trace in TRACES]


def postfix_wins():
    """Returns the traces on which the postfix fix-up is faster on 16 ranks."""
    return [trace for trace in TRACES if rank_seconds(trace, 16, fixup="postfix") < rank_seconds(trace, 16)]


def length_ns(name=PARDA):
    return [1e9 * row["median_seconds"] / row["references"] for row in find(name, suite="length")]


def parda_table():
    """Returns a table of all numbers of ranks, with a bound of 512 K on the traces where this makes a difference."""
    counts, rows = (1, 2, 4, 8, 16), []
    for trace, title in TRACES.items():
        rows.append([title, f"{stream_seconds(trace):.2f}", *(f"{rank_seconds(trace, n):.2f}" for n in counts[:-1]),
                     f"{rank_seconds(trace, 16):.3f}", f"{fixup_percent(trace, 16):.0f} %",
                     f"{parda_speedup(trace, 16):.1f}"])
        if find(PARDA, suite="mpi", trace=trace):
            how = {"transport": "mpi"}
            rows.append([f"{title}, MPI", "", "", *(f"{rank_seconds(trace, n, **how):.2f}" for n in counts[1:-1]),
                         f"{rank_seconds(trace, 16, **how):.3f}", f"{fixup_percent(trace, 16, **how):.0f} %",
                         f"{parda_speedup(trace, 16, **how):.1f}"])
    return table(["trace", "`stream`", "1", "2", "4", "8", "16 ranks", "fix-up, 16 ranks", "`stream` / 16 ranks"],
                 rows)


def long_table():
    rows = [[title, f"{stream_seconds(trace, LONG):.2f}", f"{rank_seconds(trace, 16, name=LONG):.3f}",
             f"{parda_speedup(trace, 16, name=LONG):.1f}",
             f"{rank_seconds(trace, 16, name=LONG, transport='mpi'):.3f}",
             f"{parda_speedup(trace, 16, name=LONG, transport='mpi'):.1f}"] for trace, title in TRACES.items()]
    return table(["trace", "`stream`", "16 threads", "`stream` / 16 threads", "16 processes (MPI)",
                  "`stream` / 16 processes"], rows)


def two_ranks_table():
    ways = [(transport, fixup) for transport in ("threads", "mpi") for fixup in ("pipelined", "postfix")]
    rows = [[title, *(f"{parda_speedup(trace, 2, name=EPYC_PARDA, transport=t, fixup=f):.2f}" for t, f in ways)]
            for trace, title in TRACES.items()]
    return table(["trace", "threads, pipelined", "threads, postfix", "MPI, pipelined", "MPI, postfix"], rows)


def paper_seconds(name, ranks, olken):
    """Returns the seconds of Parda's configuration, with its splay tree or with `stream`."""
    engine = f"parda:ranks={ranks}," + ("engine=olken," if olken else "") + "phase=64M"
    return line(name, suite="paper", ranks=ranks, engine=engine)["median_seconds"]


# Figures 4 and 5: traces on which the bounds bind, once they have been measured.
BOUNDS = ("512K", "1M", "2M", "4M")


def bounds_file():
    return "xeon-16-bounds" if exists("xeon-16-bounds") else PARDA


def bounds_bind():
    return bounds_file() != PARDA


def bounded_seconds(trace, ranks, bound):
    return line(bounds_file(), suite="figure45", trace=trace, ranks=ranks, bound=bound)["median_seconds"]


def bounds_traces():
    return list(dict.fromkeys(row["trace"] for row in find(bounds_file(), suite="figure45")))


def beyond_percent(trace, bound):
    """Returns the percentage of references whose distance the bound made infinite."""
    row = line(bounds_file(), suite="figure45", trace=trace, ranks=16, bound=bound)
    blocks = line(bounds_file(), suite="blocks", trace=trace)["blocks"]
    return 100 * (row["infinite"] - blocks) / row["references"]


def bounds_note():
    """Says how many references lie beyond the bounds on the traces of Figures 4 and 5."""
    if not bounds_bind():
        return ("the bounds hardly bind: only flat, cc1 and gnugo have more than 256 K blocks, and only flat "
                "more than 2 M")
    return "; ".join(f"{trace}: {line(bounds_file(), suite='blocks', trace=trace)['blocks'] / 1e6:.1f} M blocks, "
                     f"{span([beyond_percent(trace, bound) for bound in BOUNDS], '.0f')} % of the references "
                     "beyond the bound" for trace in bounds_traces())


def figure4_sentence():
    trace = bounds_traces()[0]
    return (f"{trace}, 1 to 16 ranks at a bound of 512 K: {bounded_seconds(trace, 1, '512K'):.2f} s to "
            f"{bounded_seconds(trace, 16, '512K'):.3f} s; bounds of 512 K to 4 M on 16 ranks: "
            + each((bounded_seconds(trace, 16, bound) for bound in BOUNDS), ".3f") + " s")


def figure5_sentence():
    speedups = (f"{bounded_seconds(t, 1, '512K') / bounded_seconds(t, 16, '512K'):.1f} "
                f"({TRACES.get(t, t).split(',')[0].split(':')[0]})" for t in bounds_traces())
    return "1 to 16 ranks at a bound of 512 K: " + ", ".join(speedups) + " times as fast"


def bounds_table():
    rows = []
    for trace in bounds_traces():
        rows.append([trace.removesuffix("-lsi.trace"),
                     *(f"{bounded_seconds(trace, n, '512K'):.2f}" for n in (1, 2, 4, 8)),
                     *(f"{bounded_seconds(trace, 16, bound):.3f}" for bound in BOUNDS),
                     f"{bounded_seconds(trace, 1, '512K') / bounded_seconds(trace, 16, '512K'):.1f}"])
    return table(["trace", "512 K, 1 rank", "2", "4", "8", "16 ranks", "1 M, 16 ranks", "2 M", "4 M",
                  "1 / 16 ranks"], rows)


# ---- HP-RDA ----

HPRDA = "h200-hprda"
TREES = "epyc-2-hprda"
AVL = "olken:tree=avl"
SPLAY = "olken:tree=splay"
DEVICE = "hprda:backend=cuda"
THREADS = "hprda:backend=openmp"
UNADJUSTED = "hprda:backend=openmp,adjust=off"


def hprda_pairs(engine, name=HPRDA, tree=AVL):
    """Returns, for each program, the line of the tree and the line of the engine."""
    return [(line(name, figure="10-15", trace=row["trace"], engine=tree), row)
            for row in find(name, figure="10-15", engine=engine)]


def hprda_speedups(engine, name=HPRDA, tree=AVL):
    return [base["median_seconds"] / row["median_seconds"] for base, row in hprda_pairs(engine, name, tree)]


def hprda_with_reading(engine, name=HPRDA):
    return [(base["reading_seconds"] + base["median_seconds"]) / (row["reading_seconds"] + row["median_seconds"])
            for base, row in hprda_pairs(engine, name)]


def hprda_errors(engine, field="average_error"):
    """Returns percentages by program."""
    return [100 * row[field] for row in find(HPRDA, figure="10-15", engine=engine)]


def hprda_worst():
    return max(find(HPRDA, figure="10-15", engine=THREADS), key=lambda row: row["average_error"])


def hprda_pieces(backend, pieces, field):
    return mean(row[field] for row in find(HPRDA, figure="16-17", ST=pieces, engine=f"hprda:backend={backend},ST={pieces}"))


def hprda_piece_times(backend):
    sizes = sorted({row["ST"] for row in find(HPRDA, figure="16-17")})
    return [hprda_pieces(backend, size, "ns_per_reference") for size in sizes]


def tree_ratios():
    """Returns, by program, how many times as fast the splay tree is as the balanced tree."""
    return hprda_speedups(SPLAY, TREES) if exists(TREES) else []


def trees_sentence():
    """Says the speed-ups over both sequential trees. The speed-ups over the splay tree follow from a run of both trees."""
    over = (f"over the AVL tree, which is the paper's kind of tree: H200 {mean(hprda_speedups(DEVICE)):.1f}, at most "
            f"{max(hprda_speedups(DEVICE)):.1f}; 16 threads {mean(hprda_speedups(THREADS)):.1f}; ")
    ratios = tree_ratios()
    if not ratios:
        return over + "over the splay tree, which is several times as fast: not measured"
    return over + (f"the splay tree is {mean(ratios):.1f} times as fast as the AVL tree ({span(ratios, '.1f')}, "
                   f"`{TREES}.jsonl`), so that over it they would be about "
                   f"{mean(hprda_speedups(DEVICE)) / mean(ratios):.1f} and "
                   f"{mean(hprda_speedups(THREADS)) / mean(ratios):.1f}")


def trees_table():
    if not exists(TREES):
        return "The file does not exist yet."
    rows = [[row["trace"].removesuffix(".trace"), row["blocks"], f"{base['median_seconds']:.2f} s",
             f"{row['median_seconds']:.2f} s", f"{base['median_seconds'] / row['median_seconds']:.1f}"]
            for base, row in hprda_pairs(SPLAY, TREES)]
    return table(["program", "blocks", "AVL tree", "splay tree", "ratio"], rows)


# ---- Time ----

def time_rows(block):
    return find("paper-time", block=block)


def time_values(block, field):
    return [row[field] for row in time_rows(block)]


CHOOSING_MEDIUM = "zipf:blocks=512K,refs=2M"
CHOOSING_LONG = ("zipf:blocks=4M,alpha=0.99,refs=50M", "uniform:blocks=4M,refs=50M")
CHOOSING_SMALL = "zipf:blocks=2K,refs=50K"
FAST = ["footprint", "time", "time:parts=64K", "scale:error=0.01", "auto", "shards:rate=0.01",
        "shards:rate=0.001"]
RATIOS = [("footprint", "time"), ("time", "scale:error=0.01"), ("time", "auto"),
          ("time:parts=64K", "auto")]
NOTES = {"footprint": "measures none", "khw": "exact at its sizes",
         "scale:error=0.01": "bound 1 % of each distance", "absolute": "bound 2048 blocks",
         "shards:rate=0.01": "a band", "shards:samples=8192": "a band"}


def choosing(trace, engine, field="mrefs_per_second"):
    return line("choosing", trace=trace, engine=engine)[field]


def choosing_ratio(trace, a, b):
    return choosing(trace, a) / choosing(trace, b)


def choosing_traces(generated=None):
    """Returns the traces on which the fast engines were measured: generated traces, recorded traces or all."""
    traces = [row["trace"] for row in find("choosing", engine="time") if row["trace"] != CHOOSING_MEDIUM]
    return [t for t in traces if generated is None or (":" in t) == generated]


def choosing_ratios(a, b, generated=None):
    return [choosing_ratio(trace, a, b) for trace in choosing_traces(generated)]


def error_text(row):
    note = NOTES.get(row["engine"], "")
    if "miss_error_points" not in row or row["engine"] == "khw":
        return note or "exact"
    return f"{row['miss_error_points']:.3f}" + (f"; {note}" if note else "")


def medium_table():
    rows = [row for row in find("choosing", trace=CHOOSING_MEDIUM) if row["engine"] != "null"]
    return table(["engine", "M references/s", "memory, bytes per block", "error of the miss ratio, points"],
                 [[f"`{row['engine']}`", f"{row['mrefs_per_second']:.1f}",
                   f"{row['peak_bytes'] / row['blocks']:.0f}", error_text(row)] for row in rows])


def fast_table():
    rows = [[f"`{trace}`", *(f"{choosing(trace, e):.1f}" for e in FAST),
             *(f"{choosing_ratio(trace, a, b):.2f}" for a, b in RATIOS)] for trace in choosing_traces()]
    return table(["trace", *(f"`{e}`" for e in FAST), *(f"`{a}` / `{b}`" for a, b in RATIOS)], rows)


def small_table():
    rows = [row for row in find("choosing", trace=CHOOSING_SMALL) if row["engine"] != "null"]
    return table([f"engine, on `{CHOOSING_SMALL}`", "M references/s", "memory, bytes per block"],
                 [[f"`{row['engine']}`", f"{row['mrefs_per_second']:.1f}",
                   f"{row['peak_bytes'] / row['blocks']:.0f}"] for row in rows])


# ---- Carr-Nicol ----

CARR = "h200-carr-nicol"


def levels_ns(trace, where, *sizes):
    return [line(CARR, table="5" if "lsi" in trace else "1", trace=trace, C=size, where=where)["ns_per_reference"]
            for size in sizes]


def geometric_ns(trace, where):
    """Returns the row of Table 2, from few references per round to many."""
    rows = find(CARR, table="2", trace=trace, where=where)
    return [row["ns_per_reference"] for row in sorted(rows, key=lambda row: row["phase"])]


def range_ns(where):
    return [row["ns_per_reference"] for row in find(CARR, table="3", where=where)]


CARR_TRACES = ("cc1-lsi.trace", "gnugo-lsi.trace", "bzip2-lsi.trace")


def program_ns(engine, **where):
    """Returns the numbers of Table 5 for the three programs."""
    return [line(CARR, trace=trace, engine=engine, **where)["ns_per_reference"] for trace in CARR_TRACES]


def program_levels_ns(where):
    return [ns for trace in CARR_TRACES for ns in levels_ns(trace, where, 4, 1024)]


# ---- Zhong ----

FIGURE7 = "epyc-2-figure7"
ANALYZERS = ("BK-2", "BK-16", "BK-256", "Cheetah", "KHW", "99%", "Sampling", "ZDK-2k")


def figure7(analyzer, name=FIGURE7):
    """Returns millions of references per second by the number of elements."""
    return {row["elements"]: row["mrefs_per_second"] for row in lines(name)
            if row.get("analyzer") == analyzer and "mrefs_per_second" in row}


def figure7_speeds(analyzer, name=FIGURE7, upto=math.inf):
    return [speed for elements, speed in sorted(figure7(analyzer, name).items()) if elements <= upto]


def figure7_table():
    counts = sorted({elements for analyzer in ANALYZERS for elements in figure7(analyzer)})
    rows = [[f"10^{len(str(n)) - 1}", *(f"{figure7(a)[n]:.1f}" if n in figure7(a) else "" for a in ANALYZERS)]
            for n in counts]
    return table(["elements", *(a.replace("%", " %") for a in ANALYZERS)], rows)


def fft(analyzer):
    """Returns the line about accuracy and nodes on the FFT."""
    return next(row for row in lines(FIGURE7) if row.get("analyzer") == analyzer and "misplaced" in row)


def far_end_share():
    """Returns the share of the references at the far end of the FFT's distances, 55 K to 66 K."""
    return fft("exact")["share_55k_to_66k"]


def far_end_percent(analyzer):
    """Returns the percentage of these references that are misplaced."""
    return 100 * fft(analyzer)["misplaced_55k_to_66k"] / far_end_share()


def covered():
    """Returns the coverage, in percent, of every prediction of Tables II and III that uses a peak."""
    return [float(row["coverage, %"]) for row in prediction_rows("Tables II and III")
            if row["size by"].startswith("peak")]


def predicted_in_time():
    """Returns how many of these predictions come before the program alone would have ended, if recording and
    analysis slow it down by the average of Table IV."""
    return sum(1 - coverage / 100 < 1 / mean(slowdowns("live_addr") or slowdowns("live")) for coverage in covered())


# ---- the other files of bench/results ----

def spread_percent(name):
    """Returns the largest difference between median and best, in percent of the median."""
    return 100 * max(1 - row["best_seconds"] / row["median_seconds"] for row in lines(name)
                     if row.get("best_seconds") and row["median_seconds"] > 0.01)


def engines_table():
    titles = {"zipf.u64": "Zipf 0.99, 4 M blocks", "uniform.u64": "uniform, 4 M blocks",
              "gzip.u64": "gzip's data references, 64-byte blocks"}
    rows = []
    for trace, title in titles.items():
        speed = {e: line("xeon-16", suite="engines", trace=trace, engine=e)["mrefs_per_second"]
                 for e in ("auto", "footprint")}
        rows.append([title, f"{speed['auto']:.1f}", f"{speed['footprint']:.1f}",
                     f"{speed['footprint'] / speed['auto']:.1f}"])
    return table(["trace", "`auto`", "`footprint` (floor)", "floor / `auto`"], rows)


def over_splay(trace):
    speeds = [line("xeon-16", suite="engines", trace=trace, engine=e)["mrefs_per_second"]
              for e in ("auto", SPLAY)]
    return speeds[0] / speeds[1]


def formats_table():
    return table(["format", "M references/s", "bytes per reference"],
                 [[row["format"], f"{row['mrefs_per_second']:.3g}", f"{row['bytes_per_reference']:.2f}"]
                  for row in find("xeon-16", suite="formats")])


def thread_speeds(name, trace, references):
    rows = find(name, suite="threads", trace=trace, references=references)
    return ", ".join(f"{row['mrefs_per_second']:.4g} on {word(row['threads'])}" for row in rows) + (
        f" ({rows[-1]['mrefs_per_second'] / rows[0]['mrefs_per_second']:.1f} times)")


THREAD_TITLES = {"bzip2.trace": "bzip2's data references, 64-byte blocks", "uniform:blocks=4M": "uniform, 4 M blocks",
                 "zipf:blocks=4M": "Zipf 0.99, 4 M blocks", "gzip.u64": "gzip's data references, 64-byte blocks"}


def sixteen_threads_table():
    rows = []
    for trace, references in (("bzip2.trace", 1000110011), ("uniform:blocks=4M", 10**9), ("zipf:blocks=4M", 10**9)):
        one, sixteen = (line("xeon-16-threads", trace=trace, references=references, threads=n)["mrefs_per_second"]
                        for n in (1, 16))
        rows.append([THREAD_TITLES[trace], f"{one:.4g}", f"{sixteen:.4g}", f"{sixteen / one:.1f}"])
    return table(["trace", "one thread", "sixteen", "ratio"], rows)


def strategies_table():
    titles = {"uniform:blocks=4M": "uniform, 4 M blocks", "uniform:blocks=50M": "uniform, 50 M blocks",
              "cycle:blocks=20M": "cycle, 20 M blocks", "zipf:blocks=50M": "Zipf, 50 M blocks"}
    engines = ("chunks", "relay", "batch")

    def cell(trace, engine):
        return ", ".join(f"{row['mrefs_per_second']:.1f}" for n in (6, 16)
                         for row in find("xeon-16-strategies", trace=trace, engine=engine, threads=n))
    return table(["trace", *(f"`{e}`" for e in engines)],
                 [[title, *(cell(trace, e) for e in engines)] for trace, title in titles.items()])


def record_table():
    rows = []
    for row in find("epyc-2-record", way="alone"):
        seconds = {way: find("epyc-2-record", way=way, program=row["program"])[0]
                   for way in ("alone", "run", "record", "record before")}
        median = {way: line["median_seconds"] for way, line in seconds.items()}
        rows.append([row["program"], f"{row['references'] / 1e6:.0f} M", *(f"{x:.2f}" for x in median.values()),
                     f"{median['record'] / median['run']:.2f}", f"{median['record before'] / median['record']:.2f}",
                     f"{100 * seconds['record']['bytes'] / seconds['record before']['bytes'] - 100:+.1f} %"])
    return table(["program", "references", "alone", "`run`", "`record`", "`record` before", "`record` / `run`",
                  "before / now", "file"], rows)


OBJECTS = "epyc-2-objects"
OBJECTS_TRACES = ("zipf", "drift", "web")


def objects_turns(trace):
    return [row for row in find(OBJECTS, trace=trace) if "turn" in row]


def objects_speed(trace, field):
    """Returns the median speed over the turns, in millions of requests per second."""
    return statistics.median(row["requests"] / row[field] / 1e6 for row in objects_turns(trace))


def objects_ratio(trace, field, to):
    """Returns the median over the turns of the time `field` divided by the time `to`."""
    return statistics.median(row[field] / row[to] for row in objects_turns(trace))


def objects_bytes(field):
    return [objects_turns(trace)[0][field] for trace in OBJECTS_TRACES]


def objects_difference():
    """Returns the largest difference from the simulator, over all traces, sizes and both miss ratios."""
    rows = [row for row in lines(OBJECTS) if "cache_bytes" in row]
    return max(abs(row[ratio] - row[f"simulator_{ratio}"]) for row in rows for ratio in ("miss_ratio", "byte_miss_ratio"))


def objects_comparisons():
    return len([row for row in lines(OBJECTS) if "cache_bytes" in row])


def objects_table():
    """Returns a table of the speed of the calculation alone, with the requests in memory."""
    sizes = [f"simulator_{size}_mib_{setting}_s" for size in (64, 4096) for setting in ("default", "best")]
    rows = [[trace, f"{objects_turns(trace)[0]['objects'] / 1e6:.1f} M",
             *(f"{objects_speed(trace, field):.1f}" for field in ("plain_s", *sizes)),
             *(f"{objects_ratio(trace, field, 'plain_s'):.1f}" for field in sizes)] for trace in OBJECTS_TRACES]
    names = ["64 MiB, default", "64 MiB, 2^16", "4 GiB, default", "4 GiB, 2^16"]
    return table(["trace", "objects", "byte curve", *names, *(f"{name}: ratio" for name in names)], rows)


def objects_command_table():
    """Returns a table of the wall-clock seconds of whole commands."""
    def seconds(trace, field):
        return statistics.median(row[field]["wall_s"] for row in objects_turns(trace))
    sizes = [f"simulator_command_{size}_mib" for size in (64, 4096)]
    rows = [[trace, *(f"{seconds(trace, field):.2f}" for field in ("command", *sizes)),
             *(f"{statistics.median(row[field]['wall_s'] / row['command']['wall_s'] for row in objects_turns(trace)):.1f}"
               for field in sizes)] for trace in OBJECTS_TRACES]
    return table(["trace", "`mrc --weight=bytes`", "`cachesim`, 64 MiB", "`cachesim`, 4 GiB", "64 MiB: ratio", "4 GiB: ratio"], rows)


def objects_lifetimes_table():
    rows = [[trace, *(f"{objects_speed(trace, field):.1f}" for field in ("plain_s", "eager_s", "lazy_s")),
             *(f"{objects_ratio(trace, field, 'plain_s'):.2f}" for field in ("eager_s", "lazy_s"))] for trace in OBJECTS_TRACES]
    return table(["trace", "byte curve", "eager", "lazy", "eager: ratio of times", "lazy: ratio of times"], rows)


SAMPLES = "object-samples"


def samples_field(field):
    """Returns the value that all lines have in common."""
    (value,) = {row[field] for row in lines(SAMPLES)}
    return value


def samples_least():
    return min(100 * row[inside] / row["sizes"] for row in lines(SAMPLES) for inside in ("inside", "byte_inside"))


def samples_table():
    rows = [[row["trace"], f"{100 * row['rate']:g} % of {row['objects']:,} objects", f"{row['sizes']:,}",
             *(f"{100 * row[inside] / row['sizes']:.1f}" for inside in ("inside", "byte_inside")),
             *(f"{100 * row[width]:.1f}" for width in ("width", "byte_width"))] for row in lines(SAMPLES)]
    return table(["trace", "sample", "cases", "requests inside", "bytes inside", "requests, width", "bytes, width"], rows)


def text_table():
    titles = {"null": "engine `null`", "bytes": "`mrc --weight=bytes`"}
    rows = []
    for row in find("xeon-2-text", threads=1):
        two = find("xeon-2-text", threads=2, analysis=row["analysis"], trace=row["trace"])[0]
        speeds = [line["rows_per_second"] / 1e6 for line in (row, two)]
        rows.append([f"{row['trace']}, {row['rows'] / 1e6:.0f} M rows", titles[row["analysis"]],
                     *(f"{x:.1f}" for x in speeds), f"{speeds[1] / speeds[0]:.2f}"])
    return table(["trace", "analysis", "one thread", "two threads", "ratio"], rows)


def chunk_strategies(run, variants):
    """Returns rows with the seconds of the variants of `chunks`, by trace and threads, and the ratio of the last two."""
    rows = []
    for row in find("xeon-16-chunks", run=run, engine="chunks", variant=variants[0]):
        seconds = [find("xeon-16-chunks", run=run, engine="chunks", variant=v, trace=row["trace"],
                        threads=row["threads"])[0]["median_seconds"] for v in variants]
        kind, blocks = re.match(r"([a-z]+):blocks=(\d+)", row["trace"]).groups()
        name = f"{'Zipf' if kind == 'zipf' else kind}, {blocks} {row['trace'][-1]} blocks"
        rows.append([name, str(row["threads"]), *(f"{x:.3f}" for x in seconds), f"{seconds[-1] / seconds[-2]:.2f}"])
    return rows


INSERT = "any thread serves any rank, first touches inserted"


def common_core_table():
    return table(["trace", "threads", "before", "now", "ratio"],
                 chunk_strategies(1, ("before the common core", INSERT)))


def bound_ranks_table():
    return table(["trace", "threads", "any thread", "a thread per rank", "ratio"],
                 chunk_strategies(1, (INSERT, "a thread per rank")))


def taking_table():
    return table(["trace", "threads", "insert", "take", "ratio"],
                 chunk_strategies(2, (INSERT, "first touches taken out")))


def growth_table():
    rows = []
    for row in lines("xeon-16-growth"):
        blocks = re.search(r"blocks=(10*),", row["trace"]).group(1)
        upkeep = float(re.search(r"upkeep ([\d.]+) s", row["note"]).group(1)) / row["checked_seconds"]
        best = 1e9 * row["best_seconds"] / row["references"]
        rows.append([f"10^{len(blocks) - 1}", f"{row['peak_bytes'] / 1e6:.2g} MB" if row["peak_bytes"] < 1e8 else
                     f"{row['peak_bytes'] / 1e6:.0f} MB", f"{row['ns_per_reference']:.1f}", f"{best:.1f}",
                     f"{100 * upkeep:.1f} %"])
    return table(["blocks", "bytes of the engine", "ns per reference", "best", "upkeep"], rows)


def two_threads_table():
    def ratio(first, second):
        return second["mrefs_per_second"] / first["mrefs_per_second"]
    rows, all_lines = [], lines("epyc-2-threads")
    before = {"gzip.u64": ratio(*all_lines[0:2]), "zipf:blocks=4M": ratio(*all_lines[2:4]),
              ("uniform:blocks=4M", 262144000): ratio(*all_lines[4:6])}
    for one, two in zip(all_lines[6::2], all_lines[7::2]):
        old = before.get((one["trace"], one["references"]), before.get(one["trace"]))
        rows.append([THREAD_TITLES[one["trace"]], f"{one['references'] / 1e6:.0f} M",
                     *(f"{row['mrefs_per_second']:.1f}" for row in (one, two)), f"{ratio(one, two):.2f}",
                     f"{old:.2f}" if old else ""])
    return table(["trace", "references", "one thread", "two", "ratio", "before"], rows)


def gpu_line(trace, references):
    return line("h200", suite="gpu", trace=trace, references=references, engine="gpu")


def gpu_table():
    titles = {"uniform:blocks=4M": "uniform, 4 M blocks", "zipf:blocks=4M,alpha=0.99": "Zipf 0.99, 4 M blocks",
              "uniform:blocks=50M": "uniform, 50 M blocks", "cc1.trace": "cc1, 105 M references repeated"}
    rows, one = [], None
    for row in find("h200", suite="gpu"):
        if row["engine"] == "auto" and row["threads"] == 16:
            sixteen = row
        elif row["engine"] == "auto":
            one = row
        else:
            rows.append([titles[row["trace"]], f"2^{round(math.log2(row['references']))}",
                         f"{row['mrefs_per_second']:.0f}", *(f"{r['mrefs_per_second']:.1f}" for r in (one, sixteen))])
    return table(["trace", "references", "`gpu`", "`auto`, 1 thread", "`auto`, 16 threads"], rows)


def gpu_command_table():
    rows = []
    for row in find("h200-command", engine="gpu", before=False):
        same = {"references": row["references"], "format": row["format"]}
        old, null = (line("h200-command", **same, **other) for other in
                     ({"engine": "gpu", "before": True}, {"engine": "null"}))
        rows.append([f"{row['format']}, 2^{round(math.log2(row['references']))}", f"{null['wall']:.2f}",
                     *(f"{x[key]:.2f}" for key in ("seconds", "wall") for x in (old, row)),
                     *(f"{row['references'] / row[key] / 1e9:.2f}" for key in ("seconds", "wall"))])
    return table(["file", "`null`, process", "opening, before", "opening", "process, before", "process",
                  "G references/s, opening", "G references/s, process"], rows)


def gpu_command_overhead():
    return statistics.median(row["wall"] - row["seconds"] for row in find("h200-command", engine="gpu", before=False))


def stage_factors(generated, *stages):
    """Returns the times of these stages, each divided by the time that a copy of its bytes needs."""
    return [row["stages"][stage]["seconds"] / row["stages"][stage]["floor_seconds"] for stage in stages
            for row in find("h200", suite="gpu", engine="gpu") if ("blocks=" in row["trace"]) == generated]


def table4_how():
    repeat = max(row["repeat"] for row in table4_rows())
    if table4_turns():
        return (f"One recorder for all columns, all columns of a program in turns, medians of {word(repeat)}; "
                f"the inputs are those called `{lines(TABLE4)[0]['input']}` in `bench/programs/programs.txt`. The "
                f"recorder takes {lines(TABLE4)[0]['start_s']:.2f} s for a program that does nothing, which every column "
                f"includes; without that, recording alone is {mean(without_start()):.1f} times.")
    return ("One run of each column, not in turns, so that single slow-downs may be off by a tenth and more, and not "
            "all columns with the same recorder.")


def figure7_bytes(analyzer, name):
    rows = [row for row in lines(name) if row.get("analyzer") == analyzer]
    return max(rows, key=lambda row: row["elements"])["peak_bytes"]


def fft_table():
    paper = {"exact": ("", 67000), "99.9%": ("about 0.2", 5869), "99%": ("about 2", 823),
             "ZDK-2k": ("about 4", 2080)}
    return table(["", "misplaced, % of all references", "the paper", "nodes at the peak", "compressed",
                  "the paper's nodes"],
                 [[a.replace("%", " %"), f"{100 * fft(a)['misplaced']:.4f}", paper[a][0], fft(a)["peak_nodes"],
                   fft(a)["compressed_nodes"] or "", paper[a][1]] for a in paper])


# ---- the estimate of set-associative caches ----

ESTIMATE_FEW = ("32K:1", "32K:2", "1M:1")
ESTIMATE_MANY = ("32K:8", "48K:12", "1M:16")
ESTIMATE_CLOSER = 0.05  # points by which one number must be closer to count as closer


def estimate_programs():
    return list(dict.fromkeys(row["program"] for row in lines("estimate")))


def estimate_errors(what, cache):
    """Returns the absolute differences from the exact miss ratio, in points, by program. `what` is "estimate" or "full"."""
    return {row["program"]: 100 * abs(row[what] - row["exact"]) for row in find("estimate", cache=cache)}


def estimate_mean(what, *caches):
    return mean([error for cache in caches for error in estimate_errors(what, cache).values()])


def estimate_closer(cache):
    """Returns the programs on which the fully associative number is closer."""
    estimate, full = estimate_errors("estimate", cache), estimate_errors("full", cache)
    return [program for program in estimate if full[program] < estimate[program] - ESTIMATE_CLOSER]


def estimate_table():
    rows = []
    for cache in sorted(ESTIMATE_FEW + ESTIMATE_MANY, key=lambda c: (c.split(":")[0][-1] == "M", int(c.split(":")[1]))):
        estimate, full = estimate_errors("estimate", cache), estimate_errors("full", cache)
        exact = [100 * row["exact"] for row in find("estimate", cache=cache)]
        rows.append([f"`{cache}`", f"{mean(exact):.2f}", f"{mean(estimate.values()):.2f}",
                     f"{max(estimate.values()):.2f} (`{max(estimate, key=estimate.get)}`)", f"{mean(full.values()):.2f}",
                     f"{max(full.values()):.2f} (`{max(full, key=full.get)}`)",
                     f"{len(estimate_closer(cache))} of {len(estimate)}"])
    return table(["cache, size:ways", "exact misses, %, mean", "estimate: mean error", "worst", "fully associative: mean error",
                  "worst", "fully associative is closer"], rows)


def estimate_worse():
    rows = [[f"`{cache}`", ", ".join(f"`{program}`" for program in estimate_closer(cache)) or "none"]
            for cache in ESTIMATE_FEW + ESTIMATE_MANY]
    return table(["cache", "programs"], rows)


# ---- co-runs ----

def corun_summary():
    """Returns the last line of the measurement of co-runs: means and largest differences."""
    return lines("epyc-2-corun")[-1]


def corun_worst():
    """Describes the estimate of a co-run that is furthest from the measurement."""
    rows = [row for row in lines("epyc-2-corun") if "bytes" in row]
    difference, row, i = max((abs(row["corun"][i] - row["exact"][i]), k, i)
                             for k, row in enumerate(rows) for i in (0, 1))
    row = rows[row]
    return (f"{row['programs'][i]} beside {row['programs'][1 - i]} in {row['bytes'] >> 10} KiB: "
            f"{100 * row['corun'][i]:.1f} % estimated, {100 * row['exact'][i]:.1f} % measured, "
            f"{100 * row['alone'][i]:.1f} % alone")


def corun_table():
    """Returns a table of the mean and the largest difference at each cache size, in points."""
    rows = [row for row in lines("epyc-2-corun") if "bytes" in row]
    table_rows = []
    for size in sorted({row["bytes"] for row in rows}):
        here = [row for row in rows if row["bytes"] == size]
        away = [100 * abs(row["corun"][i] - row["exact"][i]) for row in here for i in (0, 1)]
        alone = [100 * abs(row["alone"][i] - row["exact"][i]) for row in here for i in (0, 1)]
        table_rows.append([f"{size >> 10} KiB", f"{mean(away):.2f}", f"{max(away):.2f}", f"{mean(alone):.2f}",
                           f"{max(alone):.2f}"])
    return table(["cache", "`corun`: mean", "largest", "as if alone: mean", "largest"], table_rows)


# ---- simulated caches ----

CACHEGRIND = "epyc-2-cachegrind"


def off_percent(row, which, field):
    """Returns by how many percent the misses of `simulate` or of `rules` differ from cachegrind's."""
    return 100 * (row[which][field] / row["cachegrind"][field] - 1)


CACHEGRIND_VARYING = "lua", "perl", "python3"


def cachegrind_worst(field):
    """Returns how far cachegrind's rules are from cachegrind, for the programs whose runs are alike."""
    return max(abs(off_percent(row, "rules", field)) for row in lines(CACHEGRIND)
               if row["program"] not in CACHEGRIND_VARYING)


def cachegrind_fewer():
    """Returns, in ascending order, how many more LL misses cachegrind has than its rules on the recorded references, for
    each run of the programs whose runs are alike."""
    return sorted(theirs["ll_misses"] - ours["ll_misses"]
                  for row in lines(CACHEGRIND) if row["program"] not in CACHEGRIND_VARYING
                  for theirs, ours in zip([row["cachegrind"], *row["cachegrind_padded"]],
                                          [row["rules"], *row["rules_padded"]]))


def cachegrind_spread(program, which):
    """Returns by how many percent the D1 misses of a tool differ between sizes of the environment."""
    row = line(CACHEGRIND, program=program)
    found = [row[which]["d1_misses"], *(other["d1_misses"] for other in row[which + "_padded"])]
    return 100 * (max(found) / min(found) - 1)


def cachegrind_table():
    rows = []
    for row in lines(CACHEGRIND):
        spanning = 100 * row["rules"]["spanning"] / row["rules"]["data_references"]
        rows.append([row["program"], f"{spanning:.2f}"] + [
            cell for field in ("d1_misses", "ll_misses")
            for cell in (f"{row['cachegrind'][field]:,}", f"{off_percent(row, 'simulate', field):+.3f}",
                         f"{off_percent(row, 'rules', field):+.3f}")])
    return table(["program", "accesses that span blocks, %", "cachegrind, D1", "`simulate`, %", "its rules, %",
                  "cachegrind, LL", "`simulate`, %", "its rules, %"], rows)
