"""Computes the numbers of docs/papers.md and docs/choosing.md, which compare results with those of the papers.
See result_numbers.py."""
import math

from result_files import *  # noqa: F401,F403, pylint: disable=wildcard-import,unused-wildcard-import


# ---- Parda: Table IV ----

TABLE4 = "table4-epyc-2"
TABLE4_COLUMNS = {"record": "recording", "transfer": "with transfer", "live": "live, blocks of 64 bytes",
                  "live_addr": "live, addresses", "bounded_addr": "live, addresses, bound of 2 M entries"}
TABLE4_PAPER = {"record": 10.15, "transfer": 16.29, "bounded_addr": 28.48}


def table4_rows():
    return [row for row in lines(TABLE4) if "program" in row]


def slowdown(row, column):
    """Returns the slow-down in a column: the median over the turns of the ratio of its time to the time of the
    program alone. Rows of an earlier version of the script have no turns."""
    turns = row.get("turns", [row])
    return statistics.median(turn[column]["wall_s"] / turn["original"]["wall_s"] for turn in turns)


def slowdowns(column):
    """Returns the slow-downs of the programs that have this column: its time divided by that of the program alone."""
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
    """Returns a table of the times on all numbers of ranks, without a bound: on threads and with MPI."""
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
    """Returns a field of each program, as a percentage."""
    return [100 * row[field] for row in find(HPRDA, figure="10-15", engine=engine)]


def exact_over_hprda(exact, hprda):
    """Maps each program to the speed of an exact engine divided by that of HP-RDA on the same processor or device."""
    seconds = {row["trace"]: row["median_seconds"] for row in find(HPRDA, figure="10-15", engine=exact)}
    return {row["trace"].removesuffix(".trace"): row["median_seconds"] / seconds[row["trace"]]
            for row in find(HPRDA, figure="10-15", engine=hprda)}


def hprda_worst():
    return max(find(HPRDA, figure="10-15", engine=THREADS), key=lambda row: row["average_error"])


def hprda_pieces(backend, pieces, field):
    return mean(row[field] for row in find(HPRDA, figure="16-17", ST=pieces, engine=f"hprda:backend={backend},ST={pieces}"))


def hprda_piece_times(backend):
    sizes = sorted({row["ST"] for row in find(HPRDA, figure="16-17")})
    return [hprda_pieces(backend, size, "ns_per_reference") for size in sizes]


def tree_ratios():
    """Returns, for each program in order, the speed of the splay tree divided by that of the AVL tree."""
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


def time_mean(block, field):
    return mean(time_values(block, field))


def time_worst(block, field):
    """Returns the program with the smallest value of this field, and the value with two digits."""
    row = min(time_rows(block), key=lambda row: row[field])
    return row["program"].split("-")[0], f"{row[field]:.2f}"


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
    """Returns the percentage of the references at the far end (far_end_share()) that are misplaced."""
    return 100 * fft(analyzer)["misplaced_55k_to_66k"] / far_end_share()


def covered():
    """Returns the coverage, in percent, of every prediction of Tables II and III that uses a peak."""
    return [float(row["coverage, %"]) for row in prediction_rows("Tables II and III")
            if row["size by"].startswith("peak")]


def predicted_in_time():
    """Returns how many of the predictions of covered() come before the program alone would have ended, if
    recording and analysis slow it down by the average of Table IV."""
    return sum(1 - coverage / 100 < 1 / mean(slowdowns("live_addr") or slowdowns("live")) for coverage in covered())
