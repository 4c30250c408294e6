"""usage: check_seeds.py MANY FEW: checks the tables of `sharing --out=csv` of a program (MANY) and of its fixed
version (FEW). The data in PLANTED must be found as falsely shared, and no other data.

A block counts as falsely shared if false sharing causes at least 30 of its coherence misses, and most of them.
A mutex that threads compete for always has some false sharing: a thread reads the kind of the mutex, and loses
the block before it reads the lock word. How often this happens depends on how the threads run."""
import csv
import re
import sys

MANY = 30  # minimum number of false-sharing misses of a block that counts as falsely shared
PLANTED = {"posix": ["false_counters", "false_slots", "false_locked", "false_statistics", "false_limit", "main"],
           "cxx": ["false_progress", "main"], "openmp": ["false_sums", "false_done"]}
name = sys.argv[1].split(".")[0]


def rows(path):
    with open(path) as table:
        return [row for row in csv.DictReader(table)
                if int(row["false_sharing"]) >= max(MANY, int(row["true_sharing"]))]


def variable(place):
    """Returns the name of the variable or of the function that allocates, without field, element or offset."""
    return re.match(r"\w*", place).group()


found = {}
for row in rows(sys.argv[1]):
    data = variable(row["first"])
    on_heap = "+" in row["first"]
    pair = data == variable(row["second"]) and (on_heap or row["first"] != row["second"])
    own = any(place.startswith(name + ".") for place in row["lines"].split())
    separated = int(row["removes"]) >= 0.95 * int(row["false_sharing"]) and int(row["padding"]) > 0
    found[data] = (pair and own, separated, int(row["false_sharing"]))
    if data not in PLANTED[name]:
        print(f"{name}: accused falsely: {row['data']} {row['lines']}")
for data in PLANTED[name]:
    named, separated, _ = found.get(data, (False, False, 0))
    print(f"{name}: {data}: " + ("not found" if data not in found else
                                 f"found, {'line and data are named' if named else 'NOT NAMED: ' + str(found[data])}, "
                                 f"{'padding removes it' if separated else 'NO PADDING'}"))
before = sum(count for _, _, count in found.values())
after = sum(int(row["false_sharing"]) for row in rows(sys.argv[2]))
print(f"{name}, fixed: {'at least 95 %' if after <= 0.05 * before else f'only {1 - after / before:.0%}'} "
      "of these misses are gone")
