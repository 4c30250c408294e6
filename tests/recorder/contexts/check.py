"""Compares the calling contexts of a profile with those that the program printed (trail.h).

usage: check.py PROFILE WALKS SOURCE     WALKS: the output of the program; SOURCE: trail.h
"""
import collections
import json
import sys

profile, walks, source = sys.argv[1:]
with open(profile, encoding="utf-8") as file:
    profile = json.load(file)
with open(source, encoding="utf-8") as file:
    store = 1 + [i for i, line in enumerate(file) if "the store" in line][0]

expected = collections.Counter()
with open(walks, encoding="utf-8") as file:
    for line in file:
        path, references, small, large = line.split()
        for what, count in (("references", references), ("small", small), ("large", large)):
            expected[path + "walk", what] += int(count)

part = profile["contexts"]
frames, nodes, paths = part["frames"], part["nodes"], []
found = collections.Counter()
for node in nodes:
    frame = frames[node["frame"]]
    path = list(paths[node["parent"]]) if node["parent"] is not None else []
    if frame["own"]:
        path.append(frame["function"].split("::")[-1].split("(")[0])
    paths.append(path)
    if frame["function"].startswith("walk") and frame["line"] == store:
        for what, count in zip(("references", "small", "large"), [node["references"], *node["misses"]], strict=True):
            found["/".join(path), what] += count
for key in sorted(set(expected) | set(found)):
    if expected[key] != found[key]:
        print(f"{key[0]}: {key[1]}: expected {expected[key]}, found {found[key]}")
rest = part["other"]
misses = [sum(function["misses"][k] for function in profile["attribution"]["functions"]) for k in (0, 1)]
assert sum(node["references"] for node in nodes) + rest["references"] == profile["references"]
for k in (0, 1):
    assert sum(node["misses"][k] for node in nodes) + rest["misses"][k] == misses[k]
print(f"{len({path for path, _ in expected})} contexts, {sum(expected.values())} references and misses;",
      f"{rest['references']} references have no context")
