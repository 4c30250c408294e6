#!/usr/bin/env python3
"""Tests that the report page finds the locality problem of a program.

usage: check_planted.py REUSEDIST PROGRAMS

Each program of tests/recorder/locality has one locality problem. Comments in its source mark the line,
the data and, if it is another line, the previous use. The page about a run of the program must name these places
in its findings and in the first rows of its tables. Exit status 77: the test cannot run here.
"""
import os
import subprocess
import sys
import tempfile

import browser
from check_page import Checks, check_quiet

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../recorder/locality")
NAMES = ["loop_order", "hot_field", "walked_twice"]
CACHES = "--caches=L1=32K,L2=1M,L3=32M"


def marks(name):
    """Returns the line numbers of the comments that mark places."""
    found = {}
    with open(os.path.join(SOURCES, name + ".c"), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            for mark in ("planted", "the data", "first walk"):
                if f"/* {mark} */" in line:
                    found[mark] = f"{name}.c:{number}"
    return found


def first_row(page, tab, table=None):
    """Returns the texts of the cells in the first row of a tab's table."""
    page.evaluate(f"document.getElementById('tab-{tab}').click()")
    if table:
        page.evaluate(f"document.querySelector('input[name=code][value={table}]').click()")
    return page.evaluate("[...document.querySelector('.panel:not([hidden]) .sorted tbody tr').cells]"
                         ".map((cell) => cell.textContent)")


def check_program(checks, chrome, tool, programs, name, directory):
    path = os.path.join(directory, name + ".html")
    subprocess.run([tool, "run", "--attribute", CACHES, "-o", os.devnull, "--report=" + path, "--",
                    os.path.join(programs, name)], check=True, stdout=subprocess.DEVNULL)
    page, place = chrome.page("file://" + path), marks(name)
    said = page.evaluate("document.querySelector('.findings').textContent")
    checks.that(f"{name}: findings name line and data",
                f"{place['planted']} causes" in said and "it reuses memory from" in said and
                f"({place['the data']}) after it was evicted" in said, said)
    row = first_row(page, "code", "lines")
    checks.equal(f"{name}: first line", row[0], place["planted"])
    checks.that(f"{name}: with its source", "/* planted */" in row[2], row)
    row = first_row(page, "code", "pairs")
    checks.equal(f"{name}: first pair comes back at", row[1], place["planted"])
    if "first walk" in place:  # or in the head of the loop, which reads the pointer to the next element
        number = int(place["first walk"].split(":")[1])
        checks.that(f"{name}: first pair begins in the first walk",
                    row[0] in (f"{name}.c:{number - 1}", f"{name}.c:{number}"), row[0])
    row = first_row(page, "data-regions")
    checks.that(f"{name}: first data", f"({place['the data']})" in row[0] and row[1] == "heap", row)
    check_quiet(checks, name, page)


def main():
    tool, programs = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not browser.find_browser():
        print("skipped: there is no chromium to test the page with")
        return 77
    if "no libdw" in subprocess.run([tool, "version"], check=True, capture_output=True, text=True).stdout:
        print("skipped: this build has no libdw, so lines have no names")
        return 77
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="reusedist-planted-") as directory:
        with browser.Browser() as chrome:
            for name in NAMES:
                check_program(checks, chrome, tool, programs, name, directory)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
