"""Checks that references in contexts that the recorder did not number are counted below the functions that make
the calls: "(others)" never has the same parent as a call of deep(), and with DEPTH, main() calls one function,
below which are all references of first() and second().

usage: check_edge.py PROFILE [DEPTH]
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    part = json.load(file)["contexts"]
nodes = part["nodes"]
names = [part["frames"][node["frame"]]["function"] for node in nodes]
total = [node["references"] for node in nodes]
children = [[] for _ in nodes]
for i in reversed(range(len(nodes))):
    if nodes[i]["parent"] is not None:
        total[nodes[i]["parent"]] += total[i]
        children[nodes[i]["parent"]].append(i)
for i, name in enumerate(names):
    below = [names[k] for k in children[i]]
    if "(others)" in below and "deep" in below:
        print(f"below {name}: (others) is beside deep")
    if name == "main" and len(sys.argv) > 2 and total[i] >= 2 ** int(sys.argv[2]):
        calls = [k for k in children[i] if total[k] >= 2 ** int(sys.argv[2])]
        whole = [total[k] >= 2 ** (int(sys.argv[2]) + 1) - 1 for k in calls]
        print("main calls one function with all references" if whole == [True] else [(names[k], total[k]) for k in calls])
assert names.count("deep") >= 500 and "(others)" in names
