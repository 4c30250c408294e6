#!/usr/bin/env python3
"""Checks profile files. It is an independent implementation of docs/profile-format.md.

usage: check_profile.py FILE...     prints nothing and exits with status 0 if every file is valid
"""
import json
import re
import sys

REQUIRED = {"schema", "references", "infinite", "exact", "error", "binning", "histogram"}


def need(condition, why):
    if not condition:
        raise ValueError(why)


def unique(pairs):
    need(len({key for key, _ in pairs}) == len(pairs), "a key occurs twice")
    return dict(pairs)


def bin_of(binning, d):
    """Returns the range of the bin that contains distance d."""
    if binning == "full":
        return d, d
    name, _, number = binning.partition(":")
    width = int(number or 2048)
    if name == "log" or (name == "loglinear" and d < width):
        return (1 << d.bit_length()) // 2, max((1 << d.bit_length()) - 1, 0)
    return d - d % width, d - d % width + width - 1


def check_row(profile, before, row):
    low, high, count, total = row
    binning = profile["binning"]
    need(0 <= low <= high <= 2**64 - 2 and count >= 1, "a row has an invalid range or count")
    if profile.get("sums_known", True):
        need(low * count <= total <= high * count, "the sum of a row is impossible")
    else:
        need(total is None, "a row has a sum although sums are unknown")
    need(low < (profile.get("bound") or 2**64), "a row begins at the bound or above it")
    if binning.startswith("reference:"):
        need(not before or (before[0] <= low and before[1] <= high), "rows are not in ascending order")
    else:
        need(not before or before[1] < low, "rows are not in ascending order")
        need(binning == "edges" or bin_of(binning, low) == (low, high), "a row is not a bin of the binning")


def check_misses(profile, misses, least, most):
    need(len(misses) == len(profile.get("levels", [])), "the number of misses differs from the number of levels")
    for count in misses:
        need(least <= count <= most, "misses are out of range, or grow from level to level")
        most = count


def check_share(profile, share):
    """Checks a share, and returns its numbers of references and of infinite distances."""
    low = high = 0
    finite, before = 0, -1
    for bin_low, bin_high, count in share["bins"]:
        need(bin_of("log", bin_low) == (bin_low, bin_high)
             or (bin_low, bin_high) == (2**63, 2**64 - 2), "a bin of a share is not a log bin")
        need(count >= 1 and bin_low > before, "bins of a share are empty or not in ascending order")
        finite, before = finite + count, bin_high
        low, high = low + bin_low * count, high + bin_high * count
    need(low <= share["distance_sum"] <= high, "distance_sum contradicts the bins")
    need(finite + share["infinite"] == share["references"], "bins and infinite distances do not add up to a share")
    check_misses(profile, share["misses"], share["infinite"], share["references"])
    return share["references"], share["infinite"]


def check_shares(profile, shares, what):
    sums = [check_share(profile, share) for share in shares]
    need(sum(x for x, _ in sums) == profile["references"]
         and sum(x for _, x in sums) == profile["infinite"], what + " do not add up")


def check_index(index, items, optional=False):
    need((optional and index is None) or 0 <= index < len(items), "an index is out of range")


def check_attribution(profile, part):
    sources, lines = part["sources"], part["lines"]
    for what in ("functions", "lines", "data"):
        check_shares(profile, part[what], what)
    for function in part["functions"]:
        check_index(function["source"], sources, True)
        need(isinstance(function["name"], str), "a function has no name")
    for line in lines:
        check_index(line["source"], sources, True)
        check_index(line["function"], part["functions"], True)
    for pair in part["pairs"]:
        check_index(pair["use"], lines, True)
        check_index(pair["reuse"], lines, True)
        check_misses(profile, pair["misses"], 0, pair["count"])
    need(sum(pair["count"] for pair in part["pairs"])
         <= profile["references"] - profile["infinite"],
         "pairs have more references than there are finite distances")
    for data in part["data"]:
        check_index(data["line"], lines, True)
        need(data["kind"] in ("heap", "global", "stack", "other"), "data of unknown kind")
        need(data["words_used"] is None or 0 <= data["words_used"] <= 1, "words_used is not a fraction")
    for both in part.get("line_data", []):
        check_index(both["line"], lines)
        check_index(both["data"], part["data"])
        check_misses(profile, both["misses"], 0, lines[both["line"]]["references"])
    for snippet in part.get("snippets", []):
        check_index(snippet["source"], sources)


def check_windows(profile, part):
    place = 0
    for row in part["rows"]:
        need(row["from"] == place, "a window does not begin where the previous one ends")
        place += row["references"]
    check_shares(profile, part["rows"], "windows")
    phases = part["phases"]
    need(len(part["rows"]) <= 512 and phases == sorted(set(phases)) and phases[:1] in ([], [0])
         and all(phase < len(part["rows"]) for phase in phases), "phases are not ascending indices of windows")
    numbers = part.get("phase_numbers", list(range(1, len(phases) + 1)))
    need(len(numbers) == len(phases), "phase_numbers and phases differ in length")
    for i, number in enumerate(numbers):
        need(1 <= number <= 1 + max(numbers[:i], default=0), "phase_numbers skip a number")


def check_spatial(profile, part):
    need(part["word_bytes"] > 0 and part["word_bytes"] & (part["word_bytes"] - 1) == 0,
         "word_bytes is not a power of two")
    need(len(part["levels"]) == len(profile.get("levels", [])), "spatial has other levels than the profile")
    words = part.get("word_profile")
    if words:
        check({"schema": "reusedist.profile/1", "exact": True, "error": {"kind": "exact"},
               "binning": "log", **words})


def check_hierarchy(part):
    names = [cache.partition("=")[0] for cache in part["caches"].split(",")]
    need([level["name"] for level in part["levels"]] == names, "levels and caches have different names")
    for level in part["levels"]:
        causes = level["cold"] + level["capacity"] + level["conflict"]
        need(causes == (level["misses"] if part["causes"] else 0), "causes do not add up to the misses of a level")
        need(level["misses"] + level["far_hits"] <= level["references"],
             "a level has more misses and far hits than references")
        need(level["useful"] + level["useless"] <= level["prefetches"],
             "a level has more useful and useless prefetches than prefetches")


def check_private_caches(profile, part):
    """Checks the counts of each thread's caches. In a shared cache, a thread may use what another thread
    prefetched, so useful prefetches are compared with all prefetches only over all threads."""
    caches = part["caches"].split(",")
    names = [cache.partition("=")[0] for cache in caches]
    shared = ["shared=yes" in cache.split(":") for cache in caches]
    need(not shared[0] and shared == sorted(shared),
         "a private cache comes after a shared one, or there is no private cache")
    threads = part["threads"]
    numbers = [(thread["process"], thread["thread"]) for thread in threads]
    need(numbers == sorted(set(numbers)), "threads are not in ascending order")
    first = 2 if set(names[:2]) == {"L1I", "L1D"} else 1
    for thread in threads:
        need([level["name"] for level in thread["levels"]] == names, "levels and caches have different names")
        for level, is_shared in zip(thread["levels"], shared, strict=True):
            causes = level["cold"] + level["capacity"] + level["conflict"] + level["coherence"]
            need(causes == (level["misses"] if part["causes"] else 0), "causes do not add up to the misses of a level")
            need(level["misses"] + level["far_hits"] <= level["references"],
                 "a level has more misses and far hits than references")
            need(is_shared or level["useful"] + level["useless"] <= level["prefetches"],
                 "a level has more useful and useless prefetches than prefetches")
            need(level["upgrades"] + level["misses"] <= level["references"],
                 "a level has more upgrades and misses than references")
            need(level["dirty_transfers"] <= level["transfers"] <= level["misses"],
                 "a level has more dirty transfers than transfers, or more transfers than misses")
    for k in range(len(names)):
        total = {key: sum(thread["levels"][k][key] for thread in threads)
                 for key in ("references", "prefetches", "useful", "useless")}
        need(total["useful"] + total["useless"] <= total["prefetches"],
             "all threads have more useful and useless prefetches than prefetches")
        need(total["references"] <= profile["references"], "a level has more references than the profile")
    need(sum(level["references"] for thread in threads for level in thread["levels"][:first])
         <= profile["references"], "the innermost caches have more references than the profile")


def check_causes(profile, part):
    """Checks that the causes by code and data add up to the counts of the simulated caches."""
    n, levels, a = part["caches"], profile["hierarchy"]["levels"], profile["attribution"]
    need(n == len(levels), "causes have another number of caches than the hierarchy")
    for key in ("functions", "lines", "data"):
        need(len(part[key]) == len(a[key]), f"causes have another number of {key} than the attribution")
        sums = [sum(column) for column in zip(*part[key], strict=True)] or [0] * 3 * n
        need(sums == [level[cause] for level in levels for cause in ("cold", "capacity", "conflict")],
             f"causes by {key} do not add up to the counts of the caches")
    for k, level in enumerate(levels):
        need(sum(c["count"] for c in part["conflicts"] if c["cache"] == k) == level["conflict"],
             "conflicts do not add up to the conflict misses of a cache")
    for c in part["conflicts"]:
        need(all(c[key] is None or c[key] < len(a["data"]) for key in ("data", "evictor")),
             "a conflict has an index of data that is out of range")
    for c in part["line_conflicts"]:
        need(c["line"] < len(a["lines"]) and c["data"] < len(a["data"]) and c["cache"] < n,
             "a conflict of a line has an index that is out of range")


def check_contexts(profile, part):
    """Checks that all calling contexts add up to the profile, and that no node occurs twice."""
    nodes, other, levels = part["nodes"], part["other"], profile.get("levels", [])
    for frame in part["frames"]:
        need(isinstance(frame["function"], str) and frame["line"] >= 0,
             "a frame has no function or a negative line")
        need(isinstance(frame["own"], bool) and isinstance(frame["inlined"], bool),
             "own or inlined is not a boolean")
    for i, node in enumerate(nodes):
        check_index(node["parent"], nodes[:i], True)
        check_index(node["frame"], part["frames"])
    need(len({(node["parent"], node["frame"]) for node in nodes}) == len(nodes), "a node occurs twice")
    for node in nodes + [other]:
        check_misses(profile, node["misses"], 0, node["references"])
    need(sum(node["references"] for node in nodes + [other]) == profile["references"],
         "contexts do not add up to the references")
    for k in range(len(levels) if "attribution" in profile else 0):
        need(sum(node["misses"][k] for node in nodes + [other])
             == sum(function["misses"][k] for function in profile["attribution"]["functions"]),
             "contexts and functions have different misses")


def check_details(profile):
    sizes = [level["bytes"] for level in profile.get("levels", [])]
    need(sizes == sorted(sizes) and len(sizes) <= 4 and 0 not in sizes,
         "there are more than four levels, or their sizes are not ascending")
    for key, check_part in (("attribution", check_attribution), ("windows", check_windows),
                            ("spatial", check_spatial), ("causes", check_causes),
                            ("contexts", check_contexts)):
        if key in profile:
            check_part(profile, profile[key])
    if "hierarchy" in profile:
        check_hierarchy(profile["hierarchy"])
    if "private_caches" in profile:
        check_private_caches(profile, profile["private_caches"])


def check_popularity(part):
    """Checks the sizes of the objects and how many requests they have."""
    if "popularity" not in part:
        return
    for k, (objects, total) in enumerate(zip(part["size_classes"], part["size_class_bytes"], strict=True)):
        need(objects * (2**k >> 1) <= total <= objects * (2**k - 1), "a size class has impossible bytes")
    before, requests = 0, sum(part[kind]["requests"] for kind in ("reads", "writes", "touches"))
    for low, high, objects, uses in part["popularity"]:
        need(before < low <= high and objects * low <= uses <= objects * high,
             "a row of popularity is impossible or out of order")
        before = high
    need(sum(row[2] for row in part["popularity"]) == sum(part["size_classes"]),
         "popularity and size classes have different numbers of objects")
    need(sum(row[3] for row in part["popularity"]) <= requests, "popularity has more requests than the profile")


def check_objects(profile):
    """Checks the requests of an object cache."""
    part = profile.get("objects")
    if part is None:
        return
    infinite = [part[cause] for cause in ("cold", "deleted", "expired")]
    need(profile["block_bytes"] == 1, "block_bytes of an object cache is not 1")
    need(part["counted"]["requests"] == profile["references"], "counted requests differ from the references")
    need(sum(cause["requests"] for cause in infinite) == profile["infinite"],
         "misses of objects differ from the infinite distances")
    total, before = sum(cause["bytes"] for cause in infinite), -1
    for low, high, count in part["histogram"]:
        need(before < low <= high <= 2**64 - 2 and count >= 0,
             "a row of the byte histogram is impossible or out of order")
        total, before = total + count, high
    need(total == part["counted"]["bytes"], "the byte histogram does not add up to the counted bytes")
    need(part["expiry"] in ("eager", "lazy") and part["count"] in ("reads", "all"),
         "expiry or count has an unknown value")
    need(part["largest"] < 2**63, "the size of the largest object is not below 2^63")
    need(len(part["size_classes"]) <= 64 and sum(part["size_classes"]) <= part["objects"],
         "there are too many size classes, or too many objects in them")
    check_popularity(part)
    before = [0, 0]
    for request, time, live, without in part.get("live", []):
        need(request > before[0] and time >= before[1], "moments are not in ascending order")
        need(live <= without, "a moment has more live bytes than it would have without expiry")
        before = [request, time]


def check_stretches(profile):
    """Checks the requests of an object cache by stretches of time."""
    part = profile.get("stretches")
    if part is None:
        return
    before, requests, size = -1, 0, 0
    for row in part["rows"]:
        need(row["from"] > before and row["from"] % part["every"] == 0, "a stretch begins at an impossible time")
        before, end = row["from"], -1
        sums = [sum(row[cause][key] for cause in ("cold", "deleted", "expired")) for key in ("requests", "bytes")]
        for low, high, count, asked in row["histogram"]:
            need(end < low <= high and count > 0, "distances of a stretch are empty or not in ascending order")
            sums, end = [sums[0] + count, sums[1] + asked], high
        need(sums == [row["counted"]["requests"], row["counted"]["bytes"]],
             "a stretch does not add up to its counts")
        requests, size = requests + sums[0], size + sums[1]
    need(requests == profile["references"], "requests of stretches do not add up to the references")
    need(size == profile["objects"]["counted"]["bytes"], "bytes of stretches do not add up to those of the profile")


def check_interleaving(profile):
    """Checks the order of the references of threads."""
    part = profile.get("interleaving")
    if part is not None:
        need(part["turn"] > 0 and part["reorder"] > 0, "turn or reorder is not positive")
        need(part["threads"] >= 0 and part["overflows"] >= 0, "threads or overflows is negative")
        recorded = part["recorded_coherence"]
        need(recorded is None or 0 <= recorded <= profile["references"],
             "recorded_coherence is not from 0 to the number of references")


def check_threads(profile):
    """Checks the private caches of threads."""
    part = profile.get("threads")
    if part is None:
        return
    before, references, infinite = (-1, -1), 0, 0
    for row in part["rows"]:
        need(before < (row["process"], row["thread"]) < (2**32, 0), "threads are not in ascending order")
        before = row["process"], row["thread"]
        need(row["true_sharing"] + row["false_sharing"] == row["coherence"],
             "true and false sharing do not add up to the coherence misses of a thread")
        need(row["upgrades"] <= row["stores"] <= row["references"],
             "a thread has more upgrades than stores, or more stores than references")
        need(all(low <= high for low, high, _, _ in row["histogram"]), "a bin of a thread ends before it begins")
        finite = sum(count for _, _, count, _ in row["histogram"])
        need(finite + row["cold"] + row["coherence"] == row["references"],
             "distances do not add up to the references of a thread")
        references += row["references"]
        infinite += row["cold"] + row["coherence"]
    need(references == profile["references"] and infinite == profile["infinite"],
         "threads do not add up to the profile")


def check_sharing(profile):
    """Checks the data that threads share."""
    part = profile.get("sharing")
    if part is None:
        return
    need(part["references"] == profile["references"], "sharing and profile have different numbers of references")
    sums = [0, 0]
    for row in part["blocks"]:
        misses = row["true_sharing"] + row["false_sharing"]
        need(row["threads"] >= 2 and 0 < misses <= row["loads"] + row["stores"],
             "the counts of a shared block contradict each other")
        need((row["first"] is None) == (row["second"] is None) and row["removes"] <= misses,
             "the data to separate in a shared block contradict each other")
        edges = [edge for item in row.get("items", []) for edge in (2 * item["first"], 2 * item["last"] + 1)]
        need(edges == sorted(set(edges)), "the items of a shared block are not in ascending order")
        sums = [sums[0] + row["true_sharing"], sums[1] + row["false_sharing"]]
    need(len(part["blocks"]) <= part["shared_blocks"], "more shared blocks are listed than exist")
    whole = [part["true_sharing"], part["false_sharing"]]
    need(sums == whole or len(part["blocks"]) < part["shared_blocks"],
         "shared blocks do not add up to the sharing misses")
    need(not part.get("window") or sum(sum(row["misses"]) for row in part["timelines"]) == sum(whole),
         "the timelines of threads do not add up to their coherence misses")


def check(profile):
    need(REQUIRED <= set(profile), "a key is missing")
    need(re.fullmatch(r"reusedist\.profile/1(\..*)?", profile["schema"]), "the schema is not reusedist.profile/1")
    need(re.fullmatch(r"full|log|loglinear|edges|(loglinear|linear|reference):[1-9][0-9]*",
                      profile["binning"]), "unknown binning")
    need(profile["exact"] == (profile["error"]["kind"] == "exact"), "exact contradicts the kind of error")
    before, finite = None, 0
    for row in profile["histogram"]:
        check_row(profile, before, row)
        before, finite = row, finite + row[2]
    infinite, references = profile["infinite"], profile["references"]
    need(finite + infinite in (0, references), "the counts do not add up to references")
    need((profile.get("cold") or 0) <= infinite, "cold exceeds infinite")
    need((profile.get("blocks") or 0) <= references, "blocks exceed references")
    size = profile.get("block_bytes")
    need(size is None or (size > 0 and size & (size - 1) == 0), "block_bytes is not a power of two")
    check_details(profile)
    check_objects(profile)
    check_stretches(profile)
    check_threads(profile)
    check_interleaving(profile)
    check_sharing(profile)


for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8") as file:
            check(json.load(file, object_pairs_hook=unique))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: {error}")
