#!/usr/bin/env python3
"""Tests the report page in a real browser.

usage: check_page.py [--screenshots=DIRECTORY] REUSEDIST

Makes profiles, lets REUSEDIST make pages from them, opens the pages in a headless Chromium and checks that
charts are drawn, that tabs, sorting and filters work with the keyboard alone, that the files of charts and
tables have the numbers of the profile, that names from a profile stay text, that nothing is loaded, that there
are no errors, that every text has enough contrast, and that large profiles open. The exit status is 77 if there
is no browser. --screenshots saves pictures of all panels.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402
import make_profiles  # noqa: E402

PROFILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/profiles")
CACHES = "--caches=L1=32K,L2=1M,L3=32M"
MACHINES = ["--machine=zen4", "--machine=grace", "--machine=apple-m1"]
PANELS = ["overview", "distances", "machine", "code", "calls", "source", "data-regions", "time", "space", "method"]
LONG_BYTES = 5 << 20

# A script that returns the number of different colors, up to four, in each canvas of the visible panel. A blank canvas
# has one color.
COLORS = """[...document.querySelectorAll('.panel:not([hidden]) canvas')].map((c) => {
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
    for (let i = 0; i < d.length && seen.size < 4; i += 4) seen.add((d[i] << 24) + (d[i+1] << 16) + (d[i+2] << 8) + d[i+3]);
    return seen.size; })"""

# A script that returns the visible text nodes whose color has a contrast below 4.5 (3 for large text) against the
# nearest opaque background behind them.
LOW_CONTRAST = """(() => {
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92
        : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = (node) => {
        for (; node; node = node.parentElement) {
            const c = parse(getComputedStyle(node).backgroundColor);
            if (c.length < 4 || c[3] === 1) return c;
        }
        return [255, 255, 255];
    };
    const bad = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement, style = getComputedStyle(parent);
        if (!node.data.trim() || !parent.checkVisibility() || parent.closest('script, .hidden')) continue;
        seen++;
        const a = light(parse(style.color)), b = light(ground(parent));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        if (ratio < (large ? 3 : 4.5)) bad.push(`${node.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return seen ? bad : ['no text at all'];
})()"""

# A script that returns the interactive elements without a name for screen readers.
NAMELESS = """[...document.querySelectorAll('button, input, select, canvas, [role=img], [tabindex="0"]')]
    .filter((n) => n.checkVisibility() && !(n.textContent.trim() || n.getAttribute('aria-label') ||
        (n.labels && [...n.labels].some((l) => l.textContent.trim())))).map((n) => n.outerHTML.slice(0, 80))"""


class Checks:
    def __init__(self):
        self.failed = []

    def that(self, what, holds, seen=""):
        print(("ok      " if holds else "FAILED  ") + what + ("" if holds else f": {seen}"))
        if not holds:
            self.failed.append(what)

    def equal(self, what, seen, expected):
        self.that(what, seen == expected, f"{seen!r} instead of {expected!r}")


def make_page(tool, directory, output, *profiles):
    path = os.path.join(directory, output)
    subprocess.run([tool, "report", CACHES, *MACHINES, "-o", path,
                    *(os.path.join(directory, p) for p in profiles)], check=True)
    return path


def focus_on(page, selector, limit=200):
    """Presses Tab until the element has the focus, and returns whether a keyboard can reach it."""
    for _ in range(limit):
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return True
        page.press("Tab")
    return False


def check_quiet(checks, name, page):
    checks.equal(f"{name}: no errors on the console", page.errors, [])
    checks.that(f"{name}: only the file is loaded",
                all(url.startswith(("file:", "data:")) for url in page.requests), page.requests)


def check_panels(checks, name, page, panels):
    """Visits every tab with the arrow keys and checks charts, contrast, names and width."""
    focus_on(page, "[role=tab]")
    page.press("Home")
    for i, panel in enumerate(panels):
        if i:
            page.press("ArrowRight")
        shown = page.evaluate("[...document.querySelectorAll('.panel:not([hidden])')].map((p) => p.id)")
        checks.equal(f"{name}: arrow keys lead to {panel}", shown, ["panel-" + panel])
        colors = page.evaluate(COLORS)
        checks.that(f"{name}: charts of {panel} are drawn", all(n > 3 for n in colors), colors)
        checks.equal(f"{name}: contrast in {panel}", page.evaluate(LOW_CONTRAST), [])
        checks.equal(f"{name}: names of controls in {panel}", page.evaluate(NAMELESS), [])
        wide = page.evaluate("document.documentElement.scrollWidth")
        checks.that(f"{name}: {panel} fits the screen", wide <= page.width, wide)


def check_looks(checks, chrome, url, panels, shots):
    """Checks all panels on a phone, a laptop and a large screen. Without screenshots, each is
    checked in one color scheme."""
    for width, dark in ((360, False), (360, True), (1280, False), (1280, True), (2560, False), (2560, True)):
        if not shots and dark != (width == 1280):
            continue
        name = f"{width}px {'dark' if dark else 'light'}"
        page = chrome.page(url, width=width, height=800, dark=dark)
        check_panels(checks, name, page, panels)
        check_quiet(checks, name, page)
        for panel in panels if shots else []:
            page.evaluate(f"document.getElementById('tab-{panel}').click()")
            page.screenshot(os.path.join(shots, f"{panel}-{width}{'-dark' if dark else ''}.png"))
        page.close()


def check_words(checks, chrome, directory, tool):
    page = chrome.page("file://" + make_page(tool, directory, "one.html", "plain.json"))
    text = page.evaluate("document.querySelector('.findings').textContent")
    checks.that("words: what caches would miss", "A cache of 32 KiB (L1) would miss" in
                text.replace("\u00a0", " "), text)
    checks.equal("words: the page names its profile",
                 page.evaluate("document.getElementById('subject').textContent"), "plain")
    shares = [0, 1e-9, 0.00007, 0.0042, 0.031, 0.5, 0.9992, 0.9996, 0.99992, 0.9999999, 1]
    scripts = page.evaluate("[...document.scripts].map((script) => script.textContent).join('')")
    percent = re.search(r"^function percent\(.*?^}", scripts, re.M | re.S)[0]
    checks.equal("words: shares are formatted as in the terminal, see test_report.c",
                 [page.evaluate(f"({percent})({share})").replace("\u00a0", " ") for share in shares],
                 ["0 %", "<0.01 %", "0.01 %", "0.42 %", "3.1 %", "50.0 %", "99.9 %", "99.96 %", "99.99 %", ">99.99 %",
                  "100 %"])
    for panel in ("code", "data-regions", "time", "space"):
        page.evaluate(f"document.getElementById('tab-{panel}').click()")
        said = page.evaluate("document.querySelector('.panel:not([hidden]) .empty').textContent")
        checks.that(f"words: {panel} says how to get what is missing", "--attribute" in said, said)
    check_quiet(checks, "plain", page)
    page.close()


def check_bins(checks, chrome, url):
    """Checks that arrow keys select the bins and change the chart."""
    page = chrome.page(url + "#distances")
    rows = "document.querySelectorAll('.panel:not([hidden]) table tbody tr').length"
    before, reached = page.evaluate(rows), focus_on(page, "input[name=bins]")
    checks.that("bins: reached by Tab", reached)
    page.press("ArrowRight")
    page.press("ArrowRight")
    checks.equal("bins: arrow keys choose",
                 page.evaluate("document.querySelector('input[name=bins]:checked').value"), "linear")
    checks.that("bins: the focus stays", page.evaluate("document.activeElement.name") == "bins")
    checks.that("bins: other rows", page.evaluate(rows) != before)
    checks.that("bins: drawn again", page.evaluate(COLORS)[0] > 3)
    page.close()


def first_cells(page):
    return page.evaluate("[...document.querySelectorAll('.panel:not([hidden]) .sorted tbody tr:not(.details) th')]"
                         ".map((cell) => cell.textContent)")


def check_tables(checks, chrome, url):
    """Checks sorting, filtering and opening rows with the keyboard only."""
    page = chrome.page(url + "#code")
    rows = first_cells(page)
    checks.equal("tables: the line with most misses comes first", rows[0], "matmul.c:14")
    checks.that("tables: a header is reached by Tab", focus_on(page, ".sorted thead th:first-child button"))
    page.press("Enter")
    checks.equal("tables: Enter sorts by name", first_cells(page), sorted(rows))
    page.press("Enter")
    checks.equal("tables: again, the other way", first_cells(page), sorted(rows, reverse=True))
    checks.equal("tables: a text says so", page.evaluate(
        "document.querySelector('.sorted thead th').getAttribute('aria-sort')"), "descending")
    checks.that("tables: the filter is reached by Tab", focus_on(page, "input[type=search]"))
    for letter in "main 31":
        page.press(letter)
    checks.equal("tables: words filter rows", first_cells(page), ["matmul.c:31"])
    checks.equal("tables: and their number is told", page.evaluate(
        "document.querySelector('.table-tools [role=status]').textContent"), "1 of 3 match")
    page.evaluate("document.querySelector('input[type=search]').select()")
    page.press("1")
    page.press("4")
    checks.that("tables: a row is reached by Tab", focus_on(page, "button.open"))
    page.press("Enter")
    opened = page.evaluate("document.querySelector('.details:not([hidden])').textContent")
    checks.that("tables: a row opens to its source", "sum += a[i * n + k] * b[k * n + j];" in opened, opened)
    checks.that("tables: and the peak of its distances", "Distances: the peak is at a distance of 1 block, " in opened, opened)
    checks.equal("tables: and their median", page.evaluate(
        "document.querySelector('#lines td[data-label=\"Median distance\"]').textContent"), "512 \u2013 1023")
    checks.that("tables: and what it misses", "memory from matrix_new (matmul.c:23)" in opened, opened)
    checks.that("tables: other lists are reached by Tab", focus_on(page, "input[name=code]"))
    page.press("ArrowRight")
    checks.equal("tables: functions", first_cells(page), ["multiply", "main"])
    page.press("ArrowRight")
    checks.equal("tables: pairs", first_cells(page)[0], "matmul.c:14")
    checks.that("tables: the cache is reached by Tab", focus_on(page, "input[name=level]"))
    page.press("ArrowLeft")
    head = page.evaluate("document.querySelector('.sorted thead').textContent")
    checks.that("tables: arrow keys choose the cache", "L1 misses" in head, head)
    check_quiet(checks, "tables", page)
    page.close()


def check_source(checks, chrome, one, two):
    """Checks the view of a whole source file, its keys, and the links between it and the tables."""
    page = chrome.page(one + "#code")
    page.evaluate("document.querySelector('#lines button.open').click()")
    page.evaluate("[...document.querySelectorAll('#lines .link')].find((b) => b.textContent.includes('file')).click()")
    focused = "document.activeElement.closest('[data-line]').dataset.line"
    checks.equal("source: a table leads to the line", page.evaluate(focused), "14")
    texts = page.evaluate("[...document.querySelectorAll('.source-file .line code')].map((c) => c.textContent)")
    checks.equal("source: the whole file", [text.strip() for text in texts],
                 [text.strip() for text in make_profiles.MATMUL_FILE])
    share = page.evaluate("document.querySelector('.source-file [data-line=\"14\"] .weight').textContent")
    checks.equal("source: heat of a line", share.replace("\u00a0", " "), "99.2 %")
    page.press("Enter")
    opened = page.evaluate("document.querySelector('.line-details').textContent")
    checks.that("source: a line opens to its data", "memory from matrix_new (matmul.c:23), 8\u00a0MiB" in opened, opened)
    checks.that("source: and to the calls that lead to it", "called by main at matmul.c:31" in opened, opened)
    page.press("n")
    checks.equal("source: a key leads to the next hot line", page.evaluate(focused), "15")
    page.press("p")
    page.press("p")
    checks.equal("source: and back, around the end", page.evaluate(focused), "31")
    page.evaluate("document.querySelector('.line-details li .link').click()")
    checks.equal("source: a line leads to its caller", page.evaluate(focused), "31")
    page.evaluate("document.querySelector('.source-file [data-line=\"14\"] button').click()")
    page.evaluate("[...document.querySelectorAll('.line-details li .link')]"
                  ".find((link) => link.textContent.startsWith('memory')).click()")
    checks.equal("source: a line leads to its data", first_cells(page), ["matrix_new (matmul.c:23)"])
    check_quiet(checks, "source", page)
    page.close()
    page = chrome.page(two + "#source")
    page.evaluate("""(() => { const s = document.querySelector('#choices select'); s.value = 1;
        s.dispatchEvent(new Event('change')); })()""")
    said = page.evaluate("document.querySelector('.panel:not([hidden]) .notice').textContent")
    checks.that("source: a newer file is not shown", "has changed since" in said, said)
    shown = page.evaluate("[...document.querySelectorAll('.source-file .line')].map((row) => row.dataset.line)")
    checks.that("source: but the lines that the profile keeps", "14" in shown, shown)
    page.close()


def check_flame(checks, chrome, url, profile):
    """Checks the flame graph: sums, keys, zoom, search, own code, and files."""
    page = chrome.page(url + "#calls")
    said = "document.querySelector('.flame-told').textContent"
    names = "[...document.querySelectorAll('.frame')].map((f) => f.getAttribute('aria-label'))"
    total = sum(node["misses"][1] for node in profile["contexts"]["nodes"])
    checks.that("flame: the root has all misses", f"({total:,})" in page.evaluate(said), page.evaluate(said))
    seen = [name.replace("\u00a0", " ") for name in page.evaluate(names)]
    checks.equal("flame: lines of a function are one frame", seen[:4],
                 ["the whole run, 100 %", "below<...>::operator(), 100 %", "main, 100 %", "multiply, 99.4 %"])
    checks.that("flame: reached by Tab", focus_on(page, ".frame"))
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.press(key)
    checks.that("flame: arrow keys lead to callees", page.evaluate(said).startswith("multiply, matmul.c, own code"),
                page.evaluate(said))
    page.press("Enter")
    checks.equal("flame: Enter zooms in", page.evaluate("document.querySelector('.crumbs b').textContent"), "multiply")
    checks.equal("flame: wide frames only", len(page.evaluate(names)), 2)
    page.press("Escape")
    checks.equal("flame: Escape zooms out", page.evaluate("document.querySelector('.crumbs b').textContent"), "main")
    focus_on(page, "figure input[type=search]")
    for letter in "MULT":
        page.press(letter)
    checks.equal("flame: search", page.evaluate("document.querySelectorAll('.frame.match').length"), 2)
    status = page.evaluate("document.querySelector('figure [role=status]').textContent").replace("\u00a0", " ")
    checks.equal("flame: what the search finds", status, "Calls of matching functions have 99.4 % of the L2 misses")
    page.evaluate("document.querySelector('input[name=own]').click()")
    checks.that("flame: own code only", not any("below" in name for name in page.evaluate(names)), page.evaluate(names))
    rows = read_csv(page.save("#panel-calls figure .export")[1])
    checks.equal("flame: a CSV file with all misses", sum(int(row[1]) for row in rows[1:]), total)
    svg = xml.etree.ElementTree.fromstring(page.save("#panel-calls figure .export:nth-child(2)")[1])
    titles = [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]
    checks.that("flame: an SVG file", any(text.startswith("multiply, matmul.c, own code: 99.4") for text in titles),
                titles)
    page.evaluate("document.querySelector('input[name=own]').click()")
    page.evaluate("[...document.querySelectorAll('#call-table button.open')].find((b) => b.textContent === 'multiply').click()")
    callers = page.evaluate("document.querySelector('#call-table .details:not([hidden])').textContent").replace("\u00a0", " ")
    checks.that("flame: callers and callees", "Called by100 % main (matmul.c:31)" in callers and "multiply" in callers, callers)
    checks.equal("flame: (others) is not a function", page.evaluate(
        "[...document.querySelectorAll('#call-table tr.others')].map((row) => row.cells[0].textContent)"), ["(others)"])
    check_quiet(checks, "flame", page)
    page.close()


def check_narrow_frames(checks, chrome, url):
    """Checks that frames which are too narrow for a name with scopes have the name without them."""
    scopes = "a_scope_with_more_than_forty_letters_in_its_name::"
    path = url.replace("file://", "")
    with open(path, encoding="utf-8") as page, open(path + ".scopes.html", "w", encoding="utf-8") as copy:
        copy.write(page.read().replace('"name":"multiply"', f'"name":"{scopes}multiply"'))
    for width, text in ((360, "multiply"), (1280, scopes + "multiply")):
        page = chrome.page(url + ".scopes.html#calls", width=width)
        texts = page.evaluate("[...document.querySelectorAll('.frame')].slice(0, 4).map((f) => f.textContent)")
        checks.equal(f"flame: names of frames in {width} pixels", texts,
                     ["the whole run", "below<...>::operator()", "main", text])
        page.close()


def check_scroll(checks, chrome, url):
    """Checks that an address leads to the top of a tab, and that each tab has a scroll position of its own."""
    page = chrome.page(url + "#calls", height=500)
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    checks.equal("scroll: an address leads to the top of a tab", page.evaluate("scrollY"), 0)
    ids = "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id.slice(4)).filter((id) => document.getElementById(id))"
    checks.equal("scroll: no element has the id of a tab", page.evaluate(ids), [])
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    left = page.evaluate("scrollY")
    page.evaluate("document.getElementById('tab-method').click()")
    tops = page.evaluate("[document.querySelector('.panel:not([hidden])').getBoundingClientRect().top, "
                         "document.querySelector('.bar').getBoundingClientRect().bottom]")
    checks.that("scroll: a new tab begins at its top", tops[0] >= tops[1] - 1, tops)
    page.evaluate("document.getElementById('tab-calls').click()")
    checks.that("scroll: a tab keeps its position", left > 100 and abs(page.evaluate("scrollY") - left) < 2,
                [left, page.evaluate("scrollY")])
    page.close()


def check_heat_keys(checks, chrome, url):
    page = chrome.page(url + "#time")
    checks.that("heat map: reached by Tab", focus_on(page, "canvas.heat"))
    page.press("End")
    page.press("ArrowLeft")
    said = page.evaluate("document.querySelector('.reading').textContent")
    checks.that("heat map: arrow keys read windows", said.startswith("References") and "L2" in said, said)
    page.close()


def check_findings(checks, chrome, url):
    page = chrome.page(url)
    text = page.evaluate("document.querySelector('.findings').textContent").replace("\u00a0", " ")
    for part in ("matmul.c:14 causes 99.2 % of the L2 misses: it reuses memory from matrix_new "
                 "(matmul.c:23) after it was evicted.",
                 "after it was evicted. Show the source",
                 "In 99.2 % of the L2 misses, matmul.c:14 returns to a block that it last used itself.",
                 "The reuses by matmul.c:14 that miss have a median distance of 65,536 to 131,071 blocks, or 4 MiB to 8 MiB of "
                 "other data. This is typical of a loop that steps through memory in large strides: exchange the loops",
                 "uses 2.0 of the 8 words (25.0 %) of each block", "The run has 2 phases; phase 2"):
        checks.that(f"findings: {part}", part in text, text)
    page.close()


def check_one_number(checks, chrome, directory, tool):
    """Checks that all tabs have the same share for a line of own code, although two such lines call the library
    function that has most of the misses, and that the page shows the text of these lines."""
    source, path = os.path.join(directory, "a.c"), os.path.join(directory, "callers.html")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n\n\n\nif (strcmp(x, y))\n\nreturn strcmp(y, z);\n\n\n")
    with open(os.path.join(PROFILES, "own_callers.json"), encoding="utf-8") as file:
        text = file.read().replace("/u/a.c", source)
    profile = os.path.join(directory, "callers.json")
    with open(profile, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([tool, "report", "-o", path, profile], check=True)
    page = chrome.page("file://" + path)
    page.evaluate("document.querySelector('input[name=level]').click()")
    said = page.evaluate("document.querySelector('.findings').textContent").replace("\u00a0", " ")
    checks.that("one number: findings", "a.c:5 causes 77.5 % of the L1 misses: it reuses memory from x" in said, said)
    page.evaluate("document.getElementById('tab-code').click()")
    rows = page.evaluate("[...document.querySelectorAll('#lines tbody tr')].filter((row) => row.cells.length > 3)"
                         ".slice(0, 2).map((row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent.trim()))")
    checks.equal("one number: code, lines of own code first, with their sources",
                 [[cell.replace("\u00a0", " ") for cell in row] for row in rows],
                 [["a.c:5", "f, in strcmp and others", "if (strcmp(x, y))", "77.5 %"],
                  ["a.c:7", "g, in strcmp and others", "return strcmp(y, z);", "20.0 %"]])
    page.evaluate("document.getElementById('tab-source').click()")
    shares = page.evaluate("[...document.querySelectorAll('.line.hot .weight')].map((cell) => cell.textContent)")
    checks.equal("one number: source", [share.replace("\u00a0", " ") for share in shares], ["77.5 %", "20.0 %"])
    check_quiet(checks, "one number", page)
    page.close()


def check_achievable(checks, chrome, directory, tool):
    """Checks that shares of the achievable hits are called so, in the table and in the sentence of a page
    about a trace without a working set."""
    trace, profile = os.path.join(directory, "zipf.trace"), os.path.join(directory, "zipf.json")
    subprocess.run([tool, "generate", "-q", "zipf:blocks=4K,refs=40K", "-o", trace], check=True)
    subprocess.run([tool, "analyze", "-q", "--out=json", "-o", profile, trace], check=True)
    page = chrome.page("file://" + make_page(tool, directory, "zipf.html", "zipf.json"))
    text = page.evaluate("document.querySelector('.findings').textContent").replace("\u00a0", " ")
    checks.that("achievable hits: the sentence",
                "working set: 90 % of the achievable hits need at most 128 KiB, and" in text, text)
    rows = page.evaluate("[...document.querySelectorAll('tr')].map((row) => row.textContent)")
    checks.that("achievable hits: the table",
                any(row.replace("\u00a0", " ").startswith("99 % of the achievable hits") for row in rows), rows)
    page.close()


def check_bounded(checks, chrome, directory, tool):
    """Checks that means and medians of a bounded analysis are called those of the distances below the bound."""
    with open(os.path.join(directory, "before.json"), encoding="utf-8") as file:
        profile = json.load(file)
    profile["bound"] = 1 << 30
    with open(os.path.join(directory, "bounded.json"), "w", encoding="utf-8") as file:
        json.dump(profile, file)
    page = chrome.page("file://" + make_page(tool, directory, "bounded.html", "bounded.json"))
    tiles = page.evaluate("document.querySelector('.tiles').textContent").replace("\u00a0", " ")
    checks.that("bounded: the mean", "blocks, of the distances below the bound" in tiles, tiles)
    page.evaluate("document.getElementById('tab-code').click()")
    labels = page.evaluate("[...document.querySelectorAll('#lines td')].map((cell) => cell.dataset.label)")
    checks.that("bounded: the median", "Median distance below the bound" in labels, labels)
    page.close()


def check_infinite(checks, chrome, directory, tool):
    """Checks that all panels name the infinite distances: with a bound and with private caches, not all of them are
    first touches."""
    zipf, threads = os.path.join(directory, "zipf.trace"), os.path.join(directory, "threads.csv")
    with open(threads, "w", encoding="utf-8") as file:
        for block in list(range(1024)) * 4:  # thread 2 stores to a fourth of the blocks that thread 1 loads
            file.write(f"{64 * block},8,L,1,0x401010\n" + f"{64 * block},8,S,2,0x402020\n" * (block % 4 == 0))
    subprocess.run([tool, "generate", "-q", "zipf:blocks=4K,refs=40K", "-o", zipf], check=True)
    for name, trace, options, one, many in (
            ("unbounded", zipf, [], "first touch", "first touches"),
            ("bounded", zipf, ["--bound=512"], "first touch or beyond", "first touches and distances beyond the bound"),
            ("private", threads, ["--stacks=private", "-f", "csv:addr=1,size=2,kind=3,thread=4,pc=5"],
             "first touch or coherence", "first touches and coherence misses")):
        profile = os.path.join(directory, f"{name}.json")
        subprocess.run([tool, "analyze", "-q", "--attribute", "--spatial", "--caches=L1=32K", *options, "--out=json",
                        "-o", profile, trace], check=True)
        page = chrome.page("file://" + make_page(tool, directory, f"{name}.html", profile, profile))
        said = {"overview": page.evaluate("document.querySelector('.several .findings').textContent")}
        checks.equal(f"infinite, {name}: first touches in the findings", "for the first time" in said["overview"],
                     name == "unbounded")
        for panel in ("distances", "compare", "code", "data-regions", "time", "space"):
            page.evaluate(f"document.getElementById('tab-{panel}').click()")
            page.evaluate("document.querySelectorAll('.panel:not([hidden]) button.open').forEach((b) => b.click())")
            said[panel] = page.evaluate("document.querySelector('.panel:not([hidden])').innerHTML")
            names = set(re.findall(r"first touch\b(?: or \w+)*", said[panel]))
            checks.equal(f"infinite, {name}: their name in {panel}", names, {one})
        checks.that(f"infinite, {name}: the top row of the heat map", f"the top row has the {many};" in said["time"], said["time"])
        checks.that(f"infinite, {name}: the peak", name != "bounded" or f"Distances: most are {many}, 33.5" in said["code"],
                    said["code"])
        check_quiet(checks, f"infinite, {name}", page)
        page.close()


def read_csv(content):
    return list(csv.reader(io.StringIO(content.decode())))


def check_files(checks, chrome, url, profile):
    """Checks that the files of charts and tables have the unrounded numbers of the profile."""
    page = chrome.page(url + "#code")
    name, content = page.save("#lines .export")
    rows = read_csv(content)
    column = {title: i for i, title in enumerate(rows[0])}
    checks.equal("files: the name says what it is", name, "before-source-lines.csv")
    checks.equal("files: all lines with their misses and references",
                 sorted((int(row[column["L2 misses"]]), int(row[column["References"]])) for row in rows[1:]),
                 sorted((line["misses"][1], line["references"]) for line in profile["attribution"]["lines"]))
    share = sum(float(row[column["Share of L2 misses"]]) for row in rows[1:])
    checks.that("files: shares are fractions", abs(share - 1) < 1e-9, share)
    page.evaluate("document.getElementById('tab-time').click()")
    rows = read_csv(page.save(".panel:not([hidden]) .export")[1])
    checks.equal("files: the heat map has every reference of every window",
                 [sum(map(int, row[2:rows[0].index("infinite") + 1])) for row in rows[1:]],
                 [row["references"] for row in profile["windows"]["rows"]])
    for panel in ("time", "overview"):
        page.evaluate(f"document.getElementById('tab-{panel}').click()")
        name, content = page.save(".panel:not([hidden]) figure .export:nth-child(2)")
        width, height = (int.from_bytes(content[i:i + 4], "big") for i in (16, 20))
        checks.that(f"files: a picture of {panel}", content.startswith(b"\x89PNG") and name.endswith(".png") and
                    width > 2000 and height > 500, (name, width, height))
    curve = read_csv(page.save(".panel:not([hidden]) figure .export")[1])
    bottom = 100 * profile["infinite"] / profile["references"]
    checks.that("files: the curve ends with the first touches", abs(float(curve[-1][2]) - bottom) < 1e-3, curve[-1])
    check_quiet(checks, "files", page)
    page.close()


def check_method(checks, chrome, url):
    """Checks that nothing on the page contradicts itself."""
    page = chrome.page(url + "#method")
    text = page.evaluate("document.querySelector('.panel:not([hidden])').textContent")
    checks.that("method: exact distances, interpolated miss ratios",
                "Every distance is exact" in text and "interpolated" in text, text)
    checks.that("method: two numbers of references are explained", "touch several blocks" in text, text)
    with open(os.path.join(os.path.dirname(__file__), "../../src/report/html/heat.js"),
              encoding="utf-8") as file:
        ticks = re.search(r"^function heatTicks.*?^}$", file.read(), re.M | re.S).group()
    labels = page.evaluate('''(() => { const count = String;''' + ticks + '''
        return heatTicks({left: 0, width: 1000, x: (i) => i, rows: [0, 10, 20].map(
            (from) => ({from, references: 10}))}).map((tick) => tick.label); })()''')
    checks.equal("heat map: few windows do not repeat labels", labels, ["0", "10", "20", "30"])
    page.close()


def check_sample(checks, chrome, url):
    """Checks that a sample has a band, and says nothing about caches that it does not resolve."""
    page = chrome.page(url)
    checks.that("band: drawn", page.evaluate(COLORS)[0] > 3)
    text = page.evaluate("document.querySelector('.overview').textContent")
    checks.that("band: the page says what it does not resolve",
                "says nothing about caches below" in text and "unknown" in text, text)
    check_quiet(checks, "band", page)
    page.close()


def check_machines(checks, chrome, url):
    """Checks the picture of a machine, the code that waits, and switching between machines."""
    page = chrome.page(url + "#machine")
    text = "document.querySelector('.panel:not([hidden])').textContent"
    boxes = "[...document.querySelectorAll('.cache-box b')].map((b) => b.textContent)"
    checks.equal("machine: a box for each cache and memory", page.evaluate(boxes), ["L1", "L2", "L3", "Memory"])
    checks.equal("machine: the bars have three parts",
                 page.evaluate("[...document.querySelectorAll('.stack')].map((s) => s.children.length)"), [3, 3, 3])
    said = page.evaluate(text).replace("\u00a0", " ")
    checks.that("machine: the cost is a range", re.search(r"takes between \S+ .s and \S+ .s at 5.7 GHz", said), said)
    checks.that("machine: the code that waits longest", "Functions that wait longest" in said and
                "multiply" in said, said)
    checks.that("machine: the choice is reached by Tab", focus_on(page, "#machine-choice"))
    page.press("ArrowDown")
    said = page.evaluate(text)
    checks.that("machine: arrow keys choose another one", "NVIDIA Grace" in said, said)
    checks.that("machine: the focus stays", page.evaluate("document.activeElement.id") == "machine-choice")
    page.press("ArrowDown")
    said = page.evaluate(text)
    checks.that("machine: a line of another size is explained", "analyze with -b 128" in said, said)
    check_quiet(checks, "machine", page)
    page.close()


def check_simulated(checks, chrome, directory, tool):
    """Checks that simulated caches come first, with their misses by cause."""
    page = chrome.page("file://" + make_page(tool, directory, "simulated.html", "simulated.json") + "#machine")
    boxes = page.evaluate("[...document.querySelectorAll('.cache-box b')].map((b) => b.textContent)")
    checks.equal("simulated: a box for each cache and memory", boxes, ["L1I", "L1D", "L2", "Memory"])
    bars = page.evaluate("[...document.querySelectorAll('.stack')].map((s) => s.getAttribute('aria-label'))")
    checks.that("simulated: misses by cause", all("conflict misses" in bar and "cold misses" in bar for bar in bars),
                bars)
    said = page.evaluate("document.querySelector('.panel:not([hidden])').textContent")
    checks.that("simulated: the traffic of both first caches", "401\u00a0k blocks" in said and "205 written back" in said, said)
    checks.that("simulated: the profile keeps the machine, so the wait is a time",
                "On tested, simulated, waiting for data takes between 284" in said and "2.84" in said and
                "at 2\u00a0GHz" in said, said)
    checks.that("simulated: the data that conflict", "L1D: matrix_new (matmul.c:23), evicted by matrix_new (matmul.c:22)" in said,
                said)
    causes = "[...document.querySelectorAll('.cause-tables table')].map((t) => [t.caption.textContent, " \
             "[...t.tBodies[0].rows[0].cells].slice(1, 4).map((c) => c.textContent).join(' ')])"
    checks.equal("simulated: causes by line, function and data of the cache that misses most", page.evaluate(causes),
                 [[f"Misses of L1D by {what}", "400 300 300\u00a0k"] for what in ("line", "function", "data")])
    checks.that("simulated: the cache is chosen by keyboard", focus_on(page, "#causes-choice"))
    page.press("ArrowDown")
    checks.equal("simulated: causes of another cache", page.evaluate(causes),
                 [[f"Misses of L2 by {what}", "400 0 0"] for what in ("line", "function", "data")])
    checks.that("simulated: the focus stays", page.evaluate("document.activeElement.id") == "causes-choice")
    check_quiet(checks, "simulated", page)
    page.close()


def check_threads(checks, chrome, directory, tool):
    """Checks the panel about private caches of threads."""
    page = chrome.page("file://" + make_page(tool, directory, "threads.html", "threads.json") + "#threads")
    said = page.evaluate("document.querySelector('.panel:not([hidden]) .findings').textContent").replace("\u00a0", " ")
    for part in ("26.7 % of the references miss in a cache of any size", "120 coherence misses",
                 "90.0 % of them are false sharing", "Of all threads, thread 2 has most of them, 66.7 %"):
        checks.that(f"threads: {part}", part in said, said)
    checks.that("threads: a chart", page.evaluate(COLORS)[0] > 3)
    checks.equal("threads: most coherence misses first", first_cells(page), ["thread 2", "thread 1", "thread 3"])
    check_quiet(checks, "threads", page)
    page.close()
    check_private_machine(checks, chrome, "file://" + os.path.join(directory, "threads.html") + "#machine")


def check_private_machine(checks, chrome, url):
    """Checks that a machine with private caches of threads has no misses of shared caches and no time."""
    page = chrome.page(url)
    said = page.evaluate("document.querySelector('.panel:not([hidden])').textContent").replace("\u00a0", " ")
    checks.that("private machine: what is not known", "simulate --stacks=private --machine=zen4" in said, said)
    checks.that("private machine: no time", "waiting for data takes" not in said, said)
    checks.equal("private machine: no bar of the shared cache",
                 page.evaluate("[...document.querySelectorAll('.cache-box')].map((b) => !!b.querySelector('.stack'))"),
                 [True, True, False, False])
    arrows = page.evaluate("[...document.querySelectorAll('.traffic')].map((t) => t.textContent)")
    checks.that("private machine: no traffic from memory or the shared cache",
                "from L2" in arrows[0] and all("unknown traffic" in t for t in arrows[1:]), arrows)
    bars = page.evaluate("[...document.querySelectorAll('.stack')].map((s) => s.getAttribute('aria-label'))")
    checks.that("private machine: coherence misses are not first touches",
                all("first touches and coherence misses" in bar for bar in bars), bars)
    check_quiet(checks, "private machine", page)
    page.close()


def check_one_thread(checks, chrome, directory, tool):
    """Checks that the lockstep of one thread is called the recorded order."""
    url = "file://" + make_page(tool, directory, "one_thread.html", "one_thread.json")
    page = chrome.page(url + "#threads")
    said = page.evaluate("document.querySelector('.panel:not([hidden])').textContent")
    checks.that("one thread: the order", "Order of the threads' references: recorded." in said, said)
    page.close()
    page = chrome.page(url + "#method")
    said = page.evaluate("document.querySelector('.panel:not([hidden])').textContent")
    checks.that("one thread: the method", "as recorded: the trace has one thread" in said, said)
    page.close()


def check_unlike(checks, chrome, directory, tool):
    """Checks that the tab that compares two profiles says if they do not count the same."""
    with open(os.path.join(directory, "before.json"), encoding="utf-8") as file:
        profile = json.load(file)
    profile.update(kinds="L", partial=True)
    with open(os.path.join(directory, "loads.json"), "w", encoding="utf-8") as file:
        json.dump(profile, file)
    page = chrome.page("file://" + make_page(tool, directory, "unlike.html", "before.json", "loads.json") + "#compare")
    said = page.evaluate("document.querySelector('.panel:not([hidden]) .notice').textContent")
    checks.that("unlike: kinds", "different kinds of references. Their numbers do not mean the same." in said, said)
    checks.that("unlike: partial", "is incomplete" in said, said)
    page.close()


def check_code_changes(checks, chrome, directory, tool):
    """Checks that the misses of functions are compared only at caches of the same size, and only if the recorder
    skipped nothing."""
    with open(os.path.join(directory, "after.json"), encoding="utf-8") as file:
        same = json.load(file)
    larger = [{**level, "bytes": level["bytes"] * 3 // 2} for level in same["levels"]]
    for name, facts, why in (("same", {}, None), ("larger", {"levels": larger}, "does not have the same size"),
                             ("skipping", {"skipped": 1000}, "the recorder skipped references")):
        with open(os.path.join(directory, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump({**same, **facts}, file)
        page = chrome.page("file://" + make_page(tool, directory, f"{name}.html", "before.json", f"{name}.json") + "#compare")
        said = page.evaluate("document.querySelector('.panel:not([hidden])').textContent")
        tables = page.evaluate("document.querySelectorAll('#changes').length")
        checks.equal(f"code changes, {name}: a table of functions", tables, 0 if why else 1)
        checks.that(f"code changes, {name}: why there is none", not why or why in said, said)
        check_quiet(checks, f"code changes, {name}", page)
        page.close()


def check_sharing(checks, chrome, directory, tool):
    """Checks the shared data in the panel about threads, and the sentence on the first panel."""
    page = chrome.page("file://" + make_page(tool, directory, "sharing.html", "sharing.json"))
    words = "document.querySelector('.panel:not([hidden]) .findings').textContent"
    said = page.evaluate(words).replace("\u00a0", " ")
    for part in ("10.0 % of the references would miss", "90.0 % of them by false sharing, mostly in counters",
                 "put 48 bytes between counters.left and counters.right."):
        checks.that(f"sharing, overview: {part}", part in said, said)
    page.close()
    page = chrome.page("file://" + os.path.join(directory, "sharing.html") + "#threads")
    said = page.evaluate(words).replace("\u00a0", " ")
    for part in ("100 references, 10.0 %, miss", "Put 48 bytes between counters.left and counters.right.",
                 "95.7 % of its 94 coherence misses disappear", "This is the recorded order"):
        checks.that(f"sharing: {part}", part in said, said)
    checks.that("sharing: a chart", page.evaluate(COLORS)[0] > 3)
    columns = "[...document.querySelectorAll('.bytes .item')].map((n) => [n.style.gridColumn, n.className, n.textContent])"
    checks.equal("sharing: the bytes of the block", page.evaluate(columns),
                 [["1 / 9", "item user-1", "1"], ["17 / 25", "item user-2", "2"], ["41 / 49", "item user-several", "2"],
                  ["64 / 65", "item user-6", ""]])
    checks.equal("sharing: most coherence misses first", first_cells(page)[0], "counters")
    page.evaluate("document.querySelector('.data-table button.open').click()")
    checks.equal("sharing: a row opens", page.evaluate("document.querySelectorAll('.bytes').length"), 2)
    check_quiet(checks, "sharing", page)
    page.close()


def check_theme(checks, chrome, url):
    page = chrome.page(url, dark=False)
    ground = "getComputedStyle(document.body).backgroundColor"
    light, reached = page.evaluate(ground), focus_on(page, "input[name=theme]")
    checks.that("colors: reached by Tab", reached)
    page.press("ArrowRight")
    page.press("ArrowRight")
    dark = page.evaluate(ground)
    checks.that("colors: the switch works by keyboard", dark != light, dark)
    checks.equal("colors: contrast after switching", page.evaluate(LOW_CONTRAST), [])
    page.close()


def check_print(checks, chrome, url, directory):
    page = chrome.page(url)
    path = os.path.join(directory, "page.pdf")
    page.pdf(path)
    with open(path, "rb") as file:
        data = file.read()
    checks.that("print: a PDF of several pages", data.startswith(b"%PDF") and
                data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") >= 3, len(data))
    shown = page.evaluate("document.querySelectorAll('.panel:not([hidden])').length")
    checks.equal("print: one panel again afterwards", shown, 1)
    check_quiet(checks, "print", page)
    page.close()


def check_hostile(checks, chrome, directory, tool):
    path = make_page(tool, directory, "hostile.html", "hostile.json")
    page = chrome.page("file://" + path)
    for panel in PANELS:
        page.evaluate(f"document.getElementById('tab-{panel}').click()")
        page.evaluate("document.querySelectorAll('button.open').forEach((b) => b.click())")
    page.evaluate("document.getElementById('tab-data-regions').click()")
    names = [row[0] for row in read_csv(page.save("#regions .export")[1])]
    checks.that("hostile: no formula in a CSV file", "'=HYPERLINK(\"a,b\")" in names and "'-1+1" in names, names)
    checks.equal("hostile: nothing of a profile ran", page.evaluate("window.hacked ?? null"), None)
    checks.equal("hostile: no element came from a profile",
                 page.evaluate("document.querySelectorAll('img, iframe, object, main script').length"), 0)
    check_quiet(checks, "hostile", page)
    page.close()


def check_odd(checks, chrome, directory, tool):
    """Opens profiles alone, in pairs and all together, and checks that no page shows NaN, undefined or null."""
    names = sorted(name for name in os.listdir(directory) if name.startswith("odd") and
                   name.endswith(".json"))
    groups = [[name] for name in names] + [list(pair) for pair in zip(names, names[1:])] + [names]
    for i, group in enumerate(groups):
        page = chrome.page("file://" + make_page(tool, directory, f"odd-page{i}.html", *group))
        said = page.evaluate("""[...document.querySelectorAll('[role=tab]')].map((tab) => {
            tab.click();
            return document.querySelector('.panel:not([hidden])').textContent; }).join(' ')""")
        strange = [word for word in ("NaN", "undefined", "Infinity", "null", "[object") if word in said]
        checks.equal(f"odd: only words and numbers on the page of {' '.join(group)}", strange, [])
        check_quiet(checks, f"odd: {' '.join(group)}", page)
        page.close()


def check_time_table(checks, page, profile):
    """Checks that the table of miss ratios over time has the misses of all windows, also if it has fewer rows."""
    with open(profile, encoding="utf-8") as file:
        windows = json.load(file)["windows"]["rows"]
    step = -(-len(windows) // 64)
    groups = [windows[i:i + step] for i in range(0, len(windows), step)]
    shown = page.evaluate("""[...[...document.querySelectorAll('table')].find((table) => table.caption &&
        table.caption.textContent === 'Miss ratio over time').tBodies[0].rows].map((row) => row.cells[2].textContent)""")
    shares = [float(share.split("\u00a0")[0]) for share in shown]
    expected = [100 * sum(row["misses"][1] for row in group) / sum(row["references"] for row in group) for group in groups]
    checks.that("long: rows over time sum all windows", len(shares) == len(expected) and
                all(abs(share - miss) < 0.06 for share, miss in zip(shares, expected)), (shares[:4], expected[:4]))


def check_long(checks, chrome, directory, tool):
    size = os.path.getsize(os.path.join(directory, "long.json"))
    checks.that("long: the profile is large", size > 10e6, size)
    path = make_page(tool, directory, "long.html", "long.json")
    checks.that("long: the page is below 5 MB", os.path.getsize(path) < LONG_BYTES,
                os.path.getsize(path))
    page = chrome.page("file://" + path)
    print(f"        long: opened in {page.seconds:.2f} s")
    findings = page.evaluate("document.querySelector('.findings').textContent")
    checks.that("long: a phase that recurs keeps its number",
                "The run has 2 phases in 3 intervals: 1 2 1;" in findings, findings)
    page.evaluate("document.getElementById('tab-time').click()")
    rows = page.evaluate("""[...document.querySelectorAll('table')].filter((t) => t.caption &&
        t.caption.textContent === 'Phases').map((t) => t.tBodies[0].rows.length)""")
    checks.equal("long: a row for each phase", rows, [2])
    check_time_table(checks, page, os.path.join(directory, "long.json"))
    for panel in PANELS:
        page.evaluate(f"document.getElementById('tab-{panel}').click()")
        checks.that(f"long: charts of {panel} are drawn", all(n > 3 for n in page.evaluate(COLORS)))
    check_quiet(checks, "long", page)
    page.close()


def check_all(checks, tool, directory, shots):
    make_profiles.main(directory)
    two = "file://" + make_page(tool, directory, "two.html", "before.json", "after.json")
    one = "file://" + make_page(tool, directory, "before.html", "before.json")
    sampled = "file://" + make_page(tool, directory, "sampled.html", "sampled.json", "plain.json")
    with browser.Browser() as chrome:
        check_looks(checks, chrome, two, PANELS[:2] + ["compare"] + PANELS[2:], shots)
        check_words(checks, chrome, directory, tool)
        check_findings(checks, chrome, one)
        check_one_number(checks, chrome, directory, tool)
        check_achievable(checks, chrome, directory, tool)
        check_bounded(checks, chrome, directory, tool)
        check_infinite(checks, chrome, directory, tool)
        check_bins(checks, chrome, two)
        check_tables(checks, chrome, one)
        with open(os.path.join(directory, "before.json"), encoding="utf-8") as file:
            before = json.load(file)
        check_files(checks, chrome, one, before)
        check_flame(checks, chrome, one, before)
        check_narrow_frames(checks, chrome, one)
        check_source(checks, chrome, one, two)
        check_scroll(checks, chrome, one)
        check_heat_keys(checks, chrome, one)
        check_machines(checks, chrome, one)
        check_simulated(checks, chrome, directory, tool)
        check_threads(checks, chrome, directory, tool)
        check_one_thread(checks, chrome, directory, tool)
        check_unlike(checks, chrome, directory, tool)
        check_code_changes(checks, chrome, directory, tool)
        check_sharing(checks, chrome, directory, tool)
        check_theme(checks, chrome, one)
        check_print(checks, chrome, two, shots or directory)
        check_hostile(checks, chrome, directory, tool)
        check_odd(checks, chrome, directory, tool)
        check_long(checks, chrome, directory, tool)
        check_method(checks, chrome, one)
        check_sample(checks, chrome, sampled)


def run(check):
    """Calls check(checks, tool, directory, screenshots) with the arguments of the command and an empty
    directory, and returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots")
    parser.add_argument("tool")
    arguments = parser.parse_args()
    if not browser.find_browser():
        print("skipped: there is no chromium to test the page with")
        return 77
    if arguments.screenshots:
        os.makedirs(arguments.screenshots, exist_ok=True)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="reusedist-report-") as directory:
        check(checks, os.path.abspath(arguments.tool), directory, arguments.screenshots)
    print(f"{len(checks.failed)} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(run(check_all))
