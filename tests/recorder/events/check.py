"""Prints, for each place that a comment "site: NAME" names in the source, the memory that was
allocated there according to the events of a native trace, and the stores of the sources' own
functions into it.

usage: check.py TRACE NAME...     NAMEs of modules whose stores count, and whose places are named
"""
import bisect
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../scripts"))
from decode_trace import references

MODULE, ALLOCATE, RELEASE, STACK, UNLOAD = range(1, 6)
named = set(sys.argv[2:])
modules, gone = [], []        # (start, end, bias, path)
blocks, starts = {}, []       # address: (end, place)
stacks = {}                   # thread: (start, end)
stores = collections.Counter()
sizes = collections.defaultdict(list)
lines = {}


def of_process(address):
    return f" of process {address >> 48}" if address >> 48 else ""


def module_of(pc):
    for m in modules:
        if m[0] <= pc < m[1]:
            return m
    return None


def place_of(pc):
    """Returns the comment at the line of a call, or None if the source is unknown."""
    m = module_of(pc)
    if not m or os.path.basename(m[3]) not in named:
        return None
    if pc not in lines:
        out = subprocess.run(["addr2line", "-e", m[3], hex(pc - m[2])], capture_output=True, text=True)
        path, line = out.stdout.split()[0].rsplit(":", 1)
        if not line.isdigit() or not os.path.exists(path): # the C library's, in a static program
            lines[pc] = None
            return None
        with open(path, encoding="utf-8") as source:
            text = source.read().split("\n")
        # A call over several lines has its comment on the last line.
        found = re.search(r"site: (.*?)(?: \*/|$)", "\n".join(text[int(line) - 1:int(line) + 1]), re.M)
        lines[pc] = found[1] if found else f"line {line}"
    return lines[pc]


def happen(kind, thread, address, size, pc, path):
    if kind == MODULE:
        modules.append((address, address + size, pc, path))
        if os.path.basename(path) in named:
            print("module", os.path.basename(path) + of_process(address))
    elif kind == UNLOAD:
        for m in [m for m in modules if m[0] == address]:
            modules.remove(m)
            if os.path.basename(m[3]) in named:
                print("unload", os.path.basename(m[3]))
    elif kind == ALLOCATE:
        if address not in blocks:
            bisect.insort(starts, address)
        place = place_of(pc)
        blocks[address] = (address + size, place)
        if place:
            sizes[place].append(size)
    elif kind == RELEASE and address in blocks:
        del blocks[address]
        starts.remove(address)
    elif kind == STACK:
        stacks[f"{thread}{of_process(address)}"] = (address, address + size)


def count(address):
    at = bisect.bisect_right(starts, address)
    if at and address < blocks[starts[at - 1]][0]:
        stores[blocks[starts[at - 1]][1]] += 1
        return
    for thread, (start, end) in stacks.items():
        if start <= address < end:
            stores[f"stack {thread}"] += 1


with open(sys.argv[1], "rb") as trace:
    for r in references(trace.read()):
        if len(r) == 7:
            happen(*r[1:])
        elif r[2] == 2 and (m := module_of(r[3])) and os.path.basename(m[3]) in named:
            count(r[0])
for place, given in sizes.items():
    print(f"{place}: {', '.join(map(str, given))} bytes, {stores[place]} stores")
for thread in sorted(stacks):
    print(f"stack of thread {thread}: {'at least 200' if stores[f'stack {thread}'] >= 200 else 'few'} stores")
print("blocks still in use:", sum(1 for end, place in blocks.values() if place))
