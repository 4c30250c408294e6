#!/usr/bin/env python3
"""Checks profile files: an independent reading of docs/profile-format.md.

usage: check_profile.py FILE...     says nothing and exits 0 when every file is right
"""
import json
import re
import sys

REQUIRED = {"schema", "references", "infinite", "exact", "error", "binning", "histogram"}


def need(condition, why):
    if not condition:
        raise ValueError(why)


def unique(pairs):
    need(len({key for key, _ in pairs}) == len(pairs), "a key comes twice")
    return dict(pairs)


def bin_of(binning, d):
    """Range of the bin that distance d lies in."""
    if binning == "full":
        return d, d
    width = int(binning[7:]) if binning.startswith("linear:") else 2048
    if binning == "log" or (binning == "loglinear" and d < 2048):
        return (1 << d.bit_length()) // 2, max((1 << d.bit_length()) - 1, 0)
    return d - d % width, d - d % width + width - 1


def check_row(profile, before, row):
    low, high, count, total = row
    binning = profile["binning"]
    need(0 <= low <= high <= 2**64 - 2 and count >= 1, "range or count")
    if profile.get("sums_known", True):
        need(low * count <= total <= high * count, "sum")
    else:
        need(total is None, "a sum that is not known")
    need(low < (profile.get("bound") or 2**64), "beyond the bound")
    if binning.startswith("reference:"):
        need(not before or (before[0] <= low and before[1] <= high), "order")
    else:
        need(not before or before[1] < low, "order")
        need(binning == "edges" or bin_of(binning, low) == (low, high), "no bin of the binning")


def check(profile):
    need(REQUIRED <= set(profile), "a key is missing")
    need(re.fullmatch(r"reusedist\.profile/1(\..*)?", profile["schema"]), "schema")
    need(re.fullmatch(r"full|log|loglinear|edges|(linear|reference):[1-9][0-9]*",
                      profile["binning"]), "binning")
    need(profile["exact"] == (profile["error"]["kind"] == "exact"), "exact and error")
    before, finite = None, 0
    for row in profile["histogram"]:
        check_row(profile, before, row)
        before, finite = row, finite + row[2]
    infinite, references = profile["infinite"], profile["references"]
    need(finite + infinite in (0, references), "the counts do not sum up to references")
    need((profile.get("cold") or 0) <= infinite, "cold")
    need((profile.get("blocks") or 0) <= references, "blocks")
    size = profile.get("block_bytes")
    need(size is None or (size > 0 and size & (size - 1) == 0), "block_bytes")


for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8") as file:
            check(json.load(file, object_pairs_hook=unique))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: {error}")
