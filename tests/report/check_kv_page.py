#!/usr/bin/env python3
"""Checks the page of `reusedist kv --report` in a headless Chromium.

usage: check_kv_page.py [--screenshots=DIR] REUSEDIST

At every width and in both color schemes the page must have no script error, load nothing, fit the window,
draw its charts, and say what to buy.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import browser

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
OPTIONS = ["--model=llama-3.1-8b", "--opt", "--card=80G", "--replicas=2", "--hits=30%",
           "--tiers=HBM=24G:cost=1,DRAM=256G:cost=0.005,SSD=2T:cost=0.0002"]
WORDS = ["of the hits of an infinite cache need", "A prefix cache can serve at most",
         "The best sizes for the goal", "LRU is furthest from the best possible",
         "token hit ratio of 2 replicas", "A card with 80"]


def check(condition, *what):
    if not condition:
        print("FAILED:", *what)
        sys.exit(1)


def check_page(page, width, dark, charts):
    check(not page.errors, width, page.errors)
    check(all(url.startswith(("file:", "data:")) for url in page.requests), page.requests)
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    check(overflow <= 0, f"at {width} the page is {overflow} pixels too wide")
    theme = page.evaluate("document.documentElement.dataset.theme")
    check(theme == ("dark" if dark else "light"), "colors are", theme)
    drawn = page.evaluate("[...document.querySelectorAll('canvas')].filter((c) => c.width > 100).length")
    tables = page.evaluate("document.querySelectorAll('table').length")
    check(drawn == charts or (drawn == 0 and tables >= charts), drawn, "charts")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots")
    parser.add_argument("tool")
    arguments = parser.parse_args()
    if not browser.find_browser():
        print("skipped: there is no chromium to test the page with")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as chromium:
        path = os.path.join(folder, "page.html")
        log = os.path.join(EXAMPLES, "conversations.jsonl")
        subprocess.run([arguments.tool, "kv", *OPTIONS, "--report=" + path, "-o", "/dev/null", log], check=True)
        for width in (360, 1280, 2560):
            for dark in (False, True):
                page = chromium.page("file://" + path, width=width, dark=dark)
                check_page(page, width, dark, 4)
                if arguments.screenshots:
                    name = f"kv-{width}-{'dark' if dark else 'light'}.png"
                    page.screenshot(os.path.join(arguments.screenshots, name))
                page.close()
        page = chromium.page("file://" + path)
        text = page.evaluate("document.body.innerText")
        for words in WORDS:
            check(words in text, "the page does not say:", words)
        # A log without times, turns or bytes has fewer charts and no empty ones.
        plain = os.path.join(folder, "log")
        with open(plain, "w", encoding="utf-8") as file:
            file.write('{"hash_ids": [1], "input_length": 5}\n' * 2)
        subprocess.run([arguments.tool, "kv", "--report=" + path, "-o", "/dev/null", plain], check=True)
        page = chromium.page("file://" + path)
        check_page(page, 1280, False, 2)
    print("the page passed all checks")


if __name__ == "__main__":
    main()
