#!/usr/bin/env python3
"""Tests the report page of object caches in a real browser.

usage: check_object_page.py [--screenshots=DIRECTORY] REUSEDIST

Makes traces, lets REUSEDIST analyze them and make pages, and compares the pages with what simulated caches
and counts of the trace say. Looks, keyboard, contrast and printing are checked as in check_page.py. No page
may speak of caches of a processor. Exit status 77: there is no browser.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402
from check_page import Checks, check_looks, check_print, check_quiet, check_theme, focus_on, run  # noqa: E402

PANELS = ["overview", "objects", "memory", "time", "method"]
FORBIDDEN = r"\b(L1|L2|L3|lines?|code|blocks?|processor|64 B)\b"
UNITS = {"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}

# The text of all panels without the licenses.
TEXT = """[...document.querySelectorAll('[role=tab]')].map((tab) => {
    tab.click();
    const copy = document.querySelector('.panel:not([hidden])').cloneNode(true);
    copy.querySelectorAll('pre').forEach((node) => node.remove());
    return copy.textContent; }).join(' ') + document.getElementById('subject').textContent"""

# The rows of the table with this caption, as arrays of text.
ROWS = """[...[...document.querySelectorAll('table')].find((t) => t.caption.textContent === %s).tBodies[0].rows]
    .map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll('\\u00a0', ' ')))"""


def size_of(text):
    number, unit = text.split(" ")
    return int(float(number) * 2 ** UNITS[unit])


def percent(share):
    """Formats a share like the page."""
    x = 100 * share
    if x in (0, 100):
        return f"{x:.0f} %"
    if x < 0.005:
        return "<0.01 %"
    return f"{x:.{2 if x < 0.995 or x > 99.94 else 1}f} %"


class Trace:
    """A trace of requests (id, size). A few objects get most of the requests, and the most popular objects are
    small."""

    def __init__(self, seed, objects, requests):
        rng = random.Random(seed)
        sizes = [int(rng.lognormvariate(7, 1.2)) + 1 for _ in range(objects)]
        weights = [(i + 1) ** -0.9 for i in range(objects)]
        self.requests = [(i, sizes[i]) for i in rng.choices(range(objects), weights, k=requests)]

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,size\n" + "".join(f"{i},{size}\n" for i, size in self.requests))

    def misses(self, room):
        """Simulates an LRU cache of `room` bytes, and returns the misses and the bytes missed."""
        cache, used, misses, missed = collections.OrderedDict(), 0, 0, 0
        for i, size in self.requests:
            if i in cache:
                cache.move_to_end(i)
                continue
            misses, missed, used, cache[i] = misses + 1, missed + size, used + size, size
            while used > room:
                used -= cache.popitem(last=False)[1]
        return misses, missed


def reusedist(tool, directory, *arguments):
    subprocess.run([tool, *arguments], check=True, cwd=directory)


def write_log(path, seed):
    """Writes requests with times, operations and lifetimes in the columns of Twitter."""
    rng, now = random.Random(seed), 0
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(4000):
            now += rng.randrange(30)
            key = int(400 * rng.random() ** 3)
            operation = rng.choice(["get"] * 7 + ["set"] * 2 + ["delete"])
            file.write(f"{now},key{key},6,{100 + 37 * key},1,{operation},{rng.choice((0, 600, 3600))}\n")


def make_pages(tool, directory):
    trace = Trace(1, 500, 20000)
    trace.write(os.path.join(directory, "plain.csv"))
    for name, seed in (("log", 2), ("later", 3)):
        write_log(os.path.join(directory, name + ".csv"), seed)
        reusedist(tool, directory, "analyze", "-q", "--weight=bytes", "-f", "csv:preset=twitter", "--out=json", "-o",
                  name + ".json", *(["--every=2h"] if name == "log" else []), name + ".csv")
    reusedist(tool, directory, "analyze", "-q", "--weight=bytes", "--out=json", "-o", "plain.json", "plain.csv")
    reusedist(tool, directory, "merge", "log.json", "later.json", "-o", "merged.json")
    with open(os.path.join(directory, "log.json"), encoding="utf-8") as file:
        old = json.load(file)
    del old["objects"]["popularity"], old["objects"]["size_class_bytes"], old["objects"]["live"]
    with open(os.path.join(directory, "<img src=x>.json"), "w", encoding="utf-8") as file:
        json.dump(old, file)
    with open(os.path.join(directory, "once.csv"), "w", encoding="utf-8") as file:
        file.write("id,size\n1,0\n2,5\n")
    reusedist(tool, directory, "analyze", "-q", "--weight=bytes", "--out=json", "-o", "once.json", "once.csv")
    reusedist(tool, directory, "analyze", "-q", "--weight=bytes", "--warmup=2", "--out=json", "-o", "none.json",
              "once.csv")
    for page, profiles in (("plain", ["plain.json"]), ("log", ["log.json"]), ("two", ["log.json", "later.json"]),
                           ("odd", ["merged.json", "<img src=x>.json", "once.json", "none.json"]),
                           ("merged", ["merged.json"]), ("old", ["<img src=x>.json"]), ("once", ["once.json"]),
                           ("none", ["none.json"])):
        reusedist(tool, directory, "report", "-o", page + ".html", *profiles)
    return trace


def avoided(before, after):
    return "nothing" if before == after else percent((before - after) / before)


def check_misses(checks, page, trace):
    """Compares the tables of misses with simulated caches."""
    rows = page.evaluate(ROWS % "'Misses, and the share of them that more memory avoids'")
    head = page.evaluate("[...document.querySelectorAll('th')].map((h) => h.textContent).find((t) => "
                         "t.includes(' more avoids, requests'))").replace("\u00a0", " ")
    step = size_of(head.split(" more")[0])
    requests, total = len(trace.requests), sum(size for _, size in trace.requests)
    for size, miss, byte_miss, more, more_bytes, twice in rows:
        room = size_of(size)
        at, larger, double = trace.misses(room), trace.misses(room + step), trace.misses(2 * room)
        checks.equal(f"misses: a cache of {size}", [miss, byte_miss],
                     [percent(at[0] / requests), percent(at[1] / total)])
        checks.equal(f"misses: twice {size}", twice, avoided(at[0], double[0]))
        if room % step == 0:  # else the larger cache lies inside a bin
            checks.equal(f"misses: {head.split(',')[0]} at {size}", [more, more_bytes],
                         [avoided(at[0], larger[0]), avoided(at[1], larger[1])])
    checks.that("misses: there are several sizes", len(rows) > 3, rows)
    said = page.evaluate("document.querySelector('.answer').textContent").replace("\u00a0", " ")
    found = re.match(r"A cache of ([\d.]+ \w+) hits ([\d.]+) % of the requests", said)
    checks.that("answer: a size and its hits", found, said)
    goal = page.evaluate("JSON.parse(document.getElementById('data').textContent).profiles[0].goal")
    checks.that("answer: 90 % of the requests", goal["hits"] == 0.9 and goal["miss"] <= 0.1, goal)
    checks.equal("answer: a simulated cache of this size hits the same", percent(1 - goal["miss"]),
                 percent(1 - trace.misses(goal["bytes"])[0] / requests))
    smaller = trace.misses(int(goal["bytes"] / 1.008) - 1)[0] / requests
    checks.that("answer: no much smaller cache does", smaller > 0.1, smaller)


def check_objects(checks, page, trace):
    """Compares sizes and popularity with the counts of the trace."""
    uses, sizes = collections.Counter(i for i, _ in trace.requests), dict(trace.requests)
    page.evaluate("document.getElementById('tab-objects').click()")
    ranked = sorted(uses.values(), reverse=True)
    for row in page.evaluate(ROWS % "'Requests of the most popular objects'"):
        if row[0].startswith("The top"):
            top = float(row[0].split(" ")[2]) / 100 * len(ranked)
            exact = sum(ranked[:int(top)]) + (top - int(top)) * ranked[int(top)]
            seen = float(row[1].split(" ")[0]) / 100
            checks.that(f"popularity: {row[0]}", abs(seen - exact / sum(ranked)) < 0.002, (seen, exact / sum(ranked)))
        else:
            checks.equal("popularity: requested once", row[1], percent(ranked.count(1) / len(ranked)))
    for name, objects, requests in page.evaluate(ROWS % "'Objects by their number of requests'"):
        low, high = (int(part.replace(",", "")) for part in (name.split(" \u2013 ") * 2)[:2])
        inside = [n for n in ranked if low <= n <= high]
        checks.equal(f"popularity: {name} requests", [objects, requests], [f"{len(inside):,}", f"{sum(inside):,}"])
    total = sum(sizes.values())
    for name, objects, share in page.evaluate(ROWS % "'Sizes of the objects'"):
        low, high = (size_of(part) for part in (name.split(" \u2013 ") * 2)[:2])
        inside = [size for size in sizes.values() if low <= size < max(high, low + 1)]
        checks.equal(f"sizes: {name}", [objects, share], [percent(len(inside) / len(sizes)), percent(sum(inside) / total)])


def check_log(checks, page, profile):
    """Checks the causes of misses and the live bytes of a trace with operations and lifetimes."""
    part = profile["objects"]
    seen = page.evaluate("JSON.parse(document.getElementById('data').textContent).profiles[0].objects")
    checks.equal("log: the page has the data of the profile", seen, part)
    rows = page.evaluate(ROWS % "'Misses of an infinite cache'")
    checks.equal("log: causes", [row[:3] for row in rows], [[cause.capitalize(), f"{part[cause]['requests']:,}",
                 percent(part[cause]["requests"] / profile["references"])] for cause in ("cold", "deleted", "expired")])
    page.evaluate("document.getElementById('tab-memory').click()")
    rows = page.evaluate(ROWS % "'Live bytes'")
    live = {f"{request:,}": (bytes_, without) for request, _, bytes_, without in part["live"]}
    checks.that("log: live bytes at moments of the profile", len(rows) > 30 and all(
        abs(size_of(with_) / live[at][0] - 1) < 0.01 and abs(size_of(without) / live[at][1] - 1) < 0.01
        for _, at, with_, without in rows), rows[:3])
    page.evaluate("document.getElementById('tab-time').click()")
    rows = page.evaluate(ROWS % "'Requests missed over time'")
    stretches = profile["stretches"]["rows"]
    checks.equal("log: the requests of each stretch", [row[1] for row in rows],
                 [f"{stretch['counted']['requests']:,}" for stretch in stretches])
    sizes = page.evaluate("JSON.parse(document.getElementById('data').textContent).profiles[0].stretches.sizes")
    checks.equal("log: the misses of each stretch in the largest cache", [row[-1] for row in rows],
                 [percent(sum(stretch[cause]["requests"] for cause in ("cold", "deleted", "expired"))
                          / stretch["counted"]["requests"]) for stretch in stretches])
    checks.that("log: several sizes over time", len(sizes) == len(rows[0]) - 2 > 2, sizes)
    text = page.evaluate(TEXT).replace("\u00a0", " ")
    for words in ("in each stretch of 2 hours", "If nothing expired, they would reach", "reads, including those that renew",
                  "an expired object frees its memory at once", "The numbers are exact, except"):
        checks.that(f"log: {words}", words in text, text)


def check_words(checks, chrome, directory):
    for name in ("plain", "log", "two", "odd", "merged", "old", "once", "none"):
        page = chrome.page(f"file://{directory}/{name}.html")
        text = page.evaluate(TEXT)
        checks.equal(f"words: {name} is about object caches", re.findall(FORBIDDEN, text), [])
        strange = [word for word in ("NaN", "undefined", "Infinity", "null", "[object") if word in text]
        checks.equal(f"words: {name} has only words and numbers", strange, [])
        checks.equal(f"words: names in {name} stay text", page.evaluate("document.querySelectorAll('img').length"), 0)
        check_quiet(checks, name, page)
        page.close()
    for name, words in (("merged", "Merged profiles have none"), ("old", "Analyze the trace again"),
                        ("once", "No cache of any size hits"),
                        ("once", "The most popular object gets 50.0 % of the requests"),
                        ("plain", "The most popular 1 % of the objects get"), ("none", "No requests were counted")):
        page = chrome.page(f"file://{directory}/{name}.html")
        text = page.evaluate(TEXT).replace("\u00a0", " ")
        checks.that(f"words: {name} says: {words}", words in text, text)
        page.close()


def check_choice(checks, chrome, url):
    """Checks that arrow keys switch between misses of requests and of bytes."""
    page = chrome.page(url)
    cells = "document.querySelector('figure table').tBodies[0].textContent"
    before = page.evaluate(cells)
    checks.that("choice: reached by Tab", focus_on(page, "input[name=ratio]"))
    page.press("ArrowRight")
    checks.equal("choice: arrow keys choose bytes",
                 page.evaluate("document.querySelector('input[name=ratio]:checked').value"), "bytes")
    checks.that("choice: the focus stays", page.evaluate("document.activeElement.name") == "ratio")
    checks.that("choice: other numbers", page.evaluate(cells) != before)
    checks.that("choice: a profile is hidden by keyboard", focus_on(page, ".legend input"))
    page.press(" ")
    check_quiet(checks, "choice", page)
    page.close()


def check_all(checks, tool, directory, shots):
    trace = make_pages(tool, directory)
    with open(os.path.join(directory, "log.json"), encoding="utf-8") as file:
        profile = json.load(file)
    url = f"file://{directory}/"
    with browser.Browser() as chrome:
        page = chrome.page(url + "plain.html")
        check_misses(checks, page, trace)
        check_objects(checks, page, trace)
        check_quiet(checks, "plain", page)
        page.close()
        page = chrome.page(url + "log.html")
        check_log(checks, page, profile)
        page.close()
        check_words(checks, chrome, directory)
        check_choice(checks, chrome, url + "two.html")
        check_looks(checks, chrome, url + "log.html", PANELS, shots)
        check_theme(checks, chrome, url + "two.html")
        check_print(checks, chrome, url + "two.html", directory)


if __name__ == "__main__":
    sys.exit(run(check_all))
