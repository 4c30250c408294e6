"""Checks that the first line, pair and data in profile.json are those that the comments of a program name.

usage: check.py SOURCE
"""
import json, sys
name = sys.argv[1].split("/")[-1]
marks = {text: number for number, line in enumerate(open(sys.argv[1]), 1)
         for text in ("planted", "the data") if f"/* {text} */" in line}
a = json.load(open("profile.json"))["attribution"]
def place(index):
    line = a["lines"][index]
    source = a["sources"][line["source"]].split("/")[-1] if line["source"] is not None else "?"
    return f"{source}:{line['line']}"
planted = f"{name}:{marks['planted']}"
print(name, *("right" if good else "WRONG" for good in (
    place(0) == planted,
    place(a["pairs"][0]["reuse"]) == planted and place(a["pairs"][0]["use"]).startswith(name),
    a["data"][0]["kind"] == "heap" and f"({name}:{marks['the data']})" in a["data"][0]["name"],
    (a["lines"][0]["text"] or "").rstrip().endswith("/* planted */"))))
