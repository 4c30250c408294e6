"""Computes the numbers of the documents from the result files in bench/results.

scripts/check-numbers evaluates the expressions `{= ... }` of the page templates (*.md.in) with the
functions of this module, which include those of paper_numbers.py and result_files.py. A function returns a
number, a list of numbers, a text, or a whole Markdown table.
"""
import math
import re
import statistics

from paper_numbers import *  # noqa: F401,F403, pylint: disable=wildcard-import,unused-wildcard-import


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


def lifetimes_table():
    name, rows = "epyc-2-lifetimes", []
    for trace in dict.fromkeys(row["trace"] for row in lines(name)):
        turns = find(name, trace=trace)
        rows.append([trace, millions(turns[0]["objects"]),
                     *(f"{statistics.median(row['requests'] / row[field] / 1e6 for row in turns):.1f}"
                       for field in ("plain_s", "eager_s", "lazy_s")),
                     *(f"{statistics.median(row[field] / row['plain_s'] for row in turns):.2f}"
                       for field in ("eager_s", "lazy_s")),
                     turns[0]["full_bytes_per_object"]])
    return table(["trace", "objects", "byte curve", "eager", "lazy", "eager: ratio of times", "lazy: ratio of times",
                  "bytes per object"], rows)


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
ESTIMATE_CLOSER = 0.05  # points by which an error must be smaller than the other one to count as smaller


def estimate_programs():
    return list(dict.fromkeys(row["program"] for row in lines("estimate")))


def estimate_errors(what, cache):
    """Returns the absolute differences from the exact miss ratio, in points, by program. `what` is "estimate" or "full"."""
    return {row["program"]: 100 * abs(row[what] - row["exact"]) for row in find("estimate", cache=cache)}


def estimate_mean(what, *caches):
    return mean([error for cache in caches for error in estimate_errors(what, cache).values()])


def estimate_closer(cache):
    """Returns the programs whose fully associative miss ratio is closer to the exact one than the estimate."""
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
    """Returns the largest difference between cachegrind's rules and cachegrind, in percent of the misses, over
    the programs whose runs are alike."""
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
    return table(["program", "accesses that touch several blocks, %", "cachegrind, D1", "`simulate`, %", "its rules, %",
                  "cachegrind, LL", "`simulate`, %", "its rules, %"], rows)


# ---- tables in pages without a template ----

def program_of(trace):
    """Returns the name of a program for a table, or the generated trace as code."""
    return f"`{trace}`" if ":" in trace else trace.removesuffix(".trace")


def hierarchy_lines(suite, name="epyc-2-hierarchy"):
    return find(name, suite=suite)


def hierarchy_traces_table():
    rows = []
    for row in hierarchy_lines("traces"):
        if row["threads"] == 1:
            two = next(r for r in hierarchy_lines("traces") if r["program"] == row["program"] and r["threads"] == 2)
            rows.append([row["program"].split(":")[0], f"{row['references'] / 1e6:.0f} M",
                         f"{row['references'] / row['simulate_s'] / 1e6:.0f}",
                         f"{row['references'] / row['causes_s'] / 1e6:.0f}",
                         f"{row['both_s'] / row['analyze_s']:.2f}", f"{row['both_no_causes_s'] / row['analyze_s']:.2f}",
                         f"{two['both_s'] / two['analyze_s']:.2f}",
                         f"{two['both_no_causes_s'] / two['analyze_s']:.2f}"])
    return table(["program", "references", "simulation, M/s", "with causes, M/s", "beside distances", "without causes",
                  "two threads", "without causes"], rows)


def hierarchy_seconds(row, way):
    return statistics.median(row["seconds"][way])


def hierarchy_ratio(row, way, to):
    return statistics.median(a / b for a, b in zip(row["seconds"][way], row["seconds"][to]))


def hierarchy_ways_table():
    return table(["program", "one analysis, s", "sixteen numbers of sets, s", "ratio"],
                 [[row["program"].split(":")[0], f"{hierarchy_seconds(row, 'analyze'):.2f}",
                   f"{hierarchy_seconds(row, 'ways'):.2f}", f"{hierarchy_ratio(row, 'ways', 'analyze'):.1f}"]
                  for row in hierarchy_lines("ways")])


LIVE_WAYS = "distances", "distances_lsi", "simulation"


def hierarchy_live_table():
    rows = []
    for row in hierarchy_lines("live"):
        rows.append([row["program"], f"{hierarchy_seconds(row, 'alone'):.2f} s",
                     f"{hierarchy_seconds(row, 'cachegrind'):.2f} s",
                     *[f"{hierarchy_ratio(row, 'cachegrind', way):.2f}" for way in LIVE_WAYS],
                     f"{hierarchy_ratio(row, 'simulation', 'transfer'):.2f}"])
    means = [mean(hierarchy_ratio(row, "cachegrind", way) for row in hierarchy_lines("live")) for way in LIVE_WAYS]
    transfer = mean(hierarchy_ratio(row, "simulation", "transfer") for row in hierarchy_lines("live"))
    rows.append(["**average**", "", "", *[f"**{x:.2f}**" for x in means], f"**{transfer:.2f}**"])
    return table(["program", "alone", "cachegrind", "distances", "with fetches", "simulation alone",
                  "simulation / transfer"], rows)


def contexts_table():
    rows = sorted(lines("epyc-2-contexts"), key=lambda row: row["references"])
    return table(["trace", "references", "without contexts", "with contexts", ""],
                 [[row["trace"].split("-")[0], f"{row['references'] / 1e6:.0f} M", f"{row['processor_with']:.2f} s",
                   f"{row['processor_contexts']:.2f} s",
                   f"{row['processor_contexts'] / row['processor_with']:.2f}"] for row in rows])


def attribution_table():
    rows = sorted(lines("xeon-2-attribution"), key=lambda row: row["references"])
    return table(["trace", "references", "without", "with", "", "of that at the end", "memory"],
                 [[row["trace"].split("-")[0], f"{row['references'] / 1e6:.0f} M", f"{row['processor_without']:.2f} s",
                   f"{row['processor_with']:.2f} s", f"{row['processor_with'] / row['processor_without']:.2f}",
                   f"{row['after_the_last_reference']:.2f} s", f"{row['bytes'] / 1e6:.0f} MB"] for row in rows])


TIME_COLUMNS = {"accuracy": ("accuracy", ".2f"), "accuracy P": ("parts_accuracy", ".2f"),
                "first bin": ("first_bin", ".2f"), "1024+": ("far_accuracy", ".1f"),
                "1024+ P": ("parts_far_accuracy", ".1f"), "misses": ("miss_error", ".3f"),
                "misses P": ("parts_miss_error", ".3f"), "log": ("log_accuracy", ".1f"),
                "log W": ("hybrid_log_accuracy", ".1f"), "log P": ("parts_log_accuracy", ".1f")}


def right_aligned(text, left=1):
    """Aligns all columns of a table to the right, except the first `left` ones."""
    head, rule, *rows = text.split("\n")
    n = rule.count("---") - left
    return "\n".join([head, "|" + "---|" * left + "---:|" * n, *rows])


def time_table(block):
    rows = time_rows(block)
    means = [format(mean(time_values(block, field)), spec) for field, spec in TIME_COLUMNS.values()]
    return right_aligned(table(
        ["program", "references", "blocks", *TIME_COLUMNS],
        [[row["program"], f"{row['references']:,}", f"{row['blocks']:,}",
          *(format(row[field], spec) for field, spec in TIME_COLUMNS.values())] for row in rows]
        + [["**average**", "", "", *means]]))


def sampling_table():
    rows = sorted(lines("sampling"), key=lambda row: (row["engine"], row["expected_samples"] < 1000))
    text = table(["trace", "references", "blocks", "engine", "samples", "error", "largest", "inside", "half"],
                 [[program_of(row["trace"]), f"{row['references']:,}", f"{row['blocks']:,}", f"`{row['engine']}`",
                   f"{row['expected_samples']:.0f}" + (" (few)" if row["expected_samples"] < 1000 else ""),
                   f"{row['mean_error']:.4f}", f"{row['largest_error']:.3f}", f"{100 * row['inside_share']:.1f} %",
                   f"{row['mean_half_width']:.4f}"] for row in rows])
    head, _, *rest = text.split("\n")
    return "\n".join([head, "|---|---:|---:|---|---:|---:|---:|---:|---:|", *rest])


def samplings(enough, field):
    """Returns this field of all runs with at least 1000 samples if `enough` is true, otherwise of all runs with fewer."""
    return [row[field] for row in lines("sampling") if (row["expected_samples"] >= 1000) == enough]


def sampling_extreme(choose, field):
    """Returns the run with the largest (max) or smallest (min) value of this field among those with 1000 samples or more."""
    row = choose((row for row in lines("sampling") if row["expected_samples"] >= 1000), key=lambda row: row[field])
    return f"{row['engine']} on {row['trace'].removesuffix('.trace')}"


def hprda_table():
    titles = {"cc1x": "cc1, one huge function"}
    programs_ = [row["trace"] for row in find(HPRDA, figure="10-15", engine=AVL)]
    columns = [([row["median_seconds"] for row in find(HPRDA, figure="10-15", engine=AVL)], ".1f"),
               (hprda_speedups(THREADS), ".1f"), (hprda_speedups(DEVICE), ".1f"),
               (hprda_speedups("auto"), ".0f"), (hprda_speedups("gpu"), ".0f"),
               (hprda_with_reading(THREADS), ".1f"), (hprda_with_reading(DEVICE), ".1f"),
               (hprda_errors(UNADJUSTED), ".3f"), (hprda_errors(THREADS), ".3f"), (hprda_errors(THREADS, "accuracy"), ".2f")]
    blocks = [row["blocks"] for row in find(HPRDA, figure="10-15", engine=AVL)]
    rows = [[titles.get(program_of(trace), program_of(trace)), blocks[i], f"{columns[0][0][i]:.1f} s",
             *(format(values[i], spec) for values, spec in columns[1:])] for i, trace in enumerate(programs_)]
    means = [f"**{format(mean(values), spec)}**" for values, spec in columns[1:]]
    return table(["program", "blocks", "tree", "fig. 10, threads", "fig. 10, H200", "`auto`, threads", "`gpu`",
                  "fig. 11, threads", "fig. 11, H200", "fig. 14, `adjust=off`", "fig. 14, `adjust=on`", "accuracy, on"],
                 rows + [["**average**", "", "", *means],
                         ["paper", "", "", "3 (4 cores)", "19.6, at most 33", "", "", "1.85", "15.1, at most 22",
                          "1.2", "0.37", ""]])


def hprda_pieces_table():
    pieces = [2**k for k in range(8, 15)]
    rows = {"average error, percent": [100 * hprda_pieces("openmp", st, "average_error") for st in pieces],
            "threads, ns per reference": [hprda_pieces("openmp", st, "ns_per_reference") for st in pieces],
            "H200, ns per reference": [hprda_pieces("cuda", st, "ns_per_reference") for st in pieces]}
    return table(["ST", *pieces], [[name, *(format(value, ".3f" if "error" in name else ".1f") for value in values)]
                                   for name, values in rows.items()])


CARR_PLACES = {"16 threads": "cpu", "H200": "cuda"}


def ns(values, spec=None):
    """Formats times, by default with one digit after the point below 100."""
    return [format(value, spec or (".1f" if value < 100 else ".0f")) for value in values]


def carr_levels_table():
    """Table 1 of Carr and Nicol."""
    sizes = sorted({row["C"] for row in find(CARR, table="1")})
    paper = [line(CARR, table="1", trace="rand-4", C=size, where="cpu") for size in sizes]
    return table(["", *sizes],
                 [[f"{trace}, {title}", *ns(levels_ns(trace, where, *sizes))]
                  for trace in ("rand-4", "rand-1024") for title, where in CARR_PLACES.items()]
                 + [["paper, rand-4, 1K and 16K (us)", *(f"{row['paper_1k_us']:g}, {row['paper_16k_us']:g}" for row in paper)]])


def carr_geometric_table():
    """Table 2 of Carr and Nicol. Not every length of a round was measured everywhere."""
    sizes = sorted({row["phase"] for row in find(CARR, table="2")})
    rows = []
    for trace in ("rand-4", "rand-1024"):
        for title, where in CARR_PLACES.items():
            found = sorted(row["phase"] for row in find(CARR, table="2", trace=trace, where=where))
            times = dict(zip(found, ns(geometric_ns(trace, where), ".0f" if where == "cpu" else ".1f")))
            rows.append([f"{trace}, {title}", *(times.get(size, "") for size in sizes)])
    for title, field in (("1K", "paper_1k_us"), ("16K", "paper_16k_us")):
        paper = [max(row[field] for row in find(CARR, table="2", phase=size)) for size in sizes]
        rows.append([f"paper, {title} (us)", *(f"{value:g}" if value >= 0 else "" for value in paper)])
    return table(["", *(f"{size >> 10}K" if size < 1 << 20 else f"{size >> 20}M" for size in sizes)], rows)


def carr_range_table():
    """Table 3 of Carr and Nicol."""
    sizes = [row["B"] for row in find(CARR, table="3", where="cpu")]
    papers = [[f"paper, {title} (us)", *(f"{row[field]:g}" for row in find(CARR, table="3", where="cpu"))]
              for title, field in (("1K", "paper_1k_us"), ("16K", "paper_16k_us"))]
    return table(["", *(f"{size >> 10}K" if size >= 1024 else size for size in sizes)],
                 [[title, *ns(range_ns(where))] for title, where in CARR_PLACES.items()] + papers)


def carr_programs_table():
    """Table 5 of Carr and Nicol."""
    sizes = sorted({row["C"] for row in find(CARR, table="5") if "C" in row})
    geometric = {"cpu": "geometric:isa=auto", "cuda": "geometric:backend=cuda"}
    rows = [[f"{trace.split('-')[0]}, {title}", *ns(levels_ns(trace, where, *sizes)),
             *ns([line(CARR, table="5", trace=trace, engine=geometric[where])["ns_per_reference"]])]
            for trace in CARR_TRACES for title, where in CARR_PLACES.items()]
    paper = [row["paper_1k_us"] for row in find(CARR, table="5", trace=CARR_TRACES[0], where="cpu")]
    return table(["", *(f"C = {size}" if size == sizes[0] else size for size in sizes), "`geometric`"],
                 rows + [["paper, 1K, mean of its programs (us)", *(f"{value:g}" for value in paper)]])


def gpu_stages_table():
    """Returns the milliseconds of each stage, with the ratio to the time of a copy in parentheses."""
    rows = [row for row in find("h200", suite="gpu", engine="gpu") if row["references"] == 2**27]
    stages = {"blocks": "tiles"}  # names in the table that differ from those in the file
    cells = [[f"`{stages.get(stage, stage)}`",
              *(f"{1000 * row['stages'][stage]['seconds']:.2f} "
                f"({row['stages'][stage]['seconds'] / row['stages'][stage]['floor_seconds']:.1f})" for row in rows)]
             for stage in rows[0]["stages"]]
    totals = {"all": [sum(stage["seconds"] for stage in row["stages"].values()) for row in rows],
              "upload alone": [row["upload_floor_seconds"] for row in rows],
              "whole run": [row["median_seconds"] for row in rows]}
    return table(["stage", *(title for title, _ in zip(("uniform, 4 M", "Zipf, 4 M", "uniform, 50 M", "cc1"), rows))],
                 cells + [[name, *(f"{1000 * value:.1f}" for value in values)] for name, values in totals.items()])


def gpu_speed_table():
    titles = {"uniform:blocks=4M": "uniform, 4 M blocks", "zipf:blocks=4M,alpha=0.99": "Zipf 0.99, 4 M blocks",
              "uniform:blocks=50M": "uniform, 50 M blocks", "cc1.trace": "cc1, recorded"}
    speed = {(row["trace"], round(math.log2(row["references"]))): f"{row['mrefs_per_second']:.0f}"
             for row in find("h200", suite="gpu", engine="gpu")}
    return table(["trace", "2^27 references", "2^30 references"],
                 [[title, speed.get((trace, 27), ""), speed.get((trace, 30), "")] for trace, title in titles.items()])
