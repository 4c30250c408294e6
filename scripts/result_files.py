"""Reads the result files in bench/results, and puts numbers into words and Markdown tables."""
import functools
import json
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
mean = statistics.mean


# ---- reading ----

@functools.lru_cache(maxsize=None)
def lines(name):
    """Returns the lines of bench/results/NAME.jsonl."""
    with open(ROOT / f"bench/results/{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def find(name, **where):
    """Returns the lines whose fields have these values."""
    return [line for line in lines(name) if all(line.get(key) == value for key, value in where.items())]


def line(name, **where):
    """Returns the only line whose fields have these values."""
    found = find(name, **where)
    if len(found) != 1:
        raise LookupError(f"{name}.jsonl has {len(found)} lines with {where}")
    return found[0]


def exists(name):
    return (ROOT / f"bench/results/{name}.jsonl").exists()


@functools.lru_cache(maxsize=None)
def section(heading):
    """Returns the text of a section of bench/results/prediction.md."""
    text = (ROOT / "bench/results/prediction.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text.split(f"\n## {heading}", 1)[1], maxsplit=1, flags=re.M)[0]


def prediction_rows(heading, table=0):
    """Returns the rows of a table of prediction.md, as dictionaries by column."""
    tables = re.findall(r"(?:^\|.*\n)+", section(heading), flags=re.M)
    rows = [[cell.strip() for cell in row.strip("|\n").split("|")] for row in tables[table].splitlines()]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def predicted(heading, column, row="average", key=None, table=0):
    """Returns one number of prediction.md: the column of the row that has `row` in the column `key`, by default the first
    column."""
    rows = prediction_rows(heading, table)
    key = key or next(iter(rows[0]))
    found = [r[column] for r in rows if r[key] == row]
    if len(found) != 1:
        raise LookupError(f"prediction.md, {heading}: {len(found)} rows {row}")
    return float(found[0].rstrip("*"))


def overlap(a, b, table=0):
    """Returns the accuracy of the histograms of two programs, in percent (Figure 9)."""
    blocks = re.findall(r"```\n(.*?)```", section("Figure 9"), flags=re.S)
    header, *rows = [row.split() for row in blocks[table].replace(" %", "%").splitlines()[1:]]
    return float(next(row for row in rows if row[0] == a)[1 + header.index(b)].rstrip("%"))


@functools.lru_cache(maxsize=None)
def programs():
    """Returns the table bench/programs/programs.txt as a dictionary per program."""
    entries = []
    for row in (ROOT / "bench/programs/programs.txt").read_text(encoding="utf-8").splitlines():
        key, _, value = row.partition(" ")
        if key == "program":
            entries.append({"program": value.strip()})
        elif entries and key and key != "#":
            entries[-1][key] = value.strip()
    return entries


def distinct_programs():
    """Returns the number of programs; versions and inputs of the compiler are one program."""
    return len({p["program"].split("-")[0] if p["program"].startswith("cc1") else p["program"]
                for p in programs()})


# ---- text ----

NUMBERS = ("no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
           "sixteen seventeen eighteen nineteen twenty").split()


def word(n):
    """Returns a number up to twenty as a word, and a larger number in digits."""
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def each(values, spec, joined=", "):
    return joined.join(format(value, spec) for value in values)


def span(values, spec):
    """Returns the range from the smallest to the largest value as a text."""
    least, most = format(min(values), spec), format(max(values), spec)
    return least if least == most else f"{least} to {most}"


def table(header, rows):
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells)


def millions(n):
    return f"{n / 1e6:.2f} M" if n >= 1e6 else f"{n / 1e3:.0f} K"
