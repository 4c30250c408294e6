#!/usr/bin/env python3
"""Compares the structs that the Python package mirrors with the structs in the C headers.

usage: check_structs.py COMPILER ROOT

Asks a C program for the size of every struct and the offset of every field, and compares them with
what ctypes computes. A field that C appends and Python lacks changes the size.
"""
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

compiler, root = sys.argv[1], Path(sys.argv[2])
sys.path.insert(0, str(root / "python" / "reusedist"))
import _native  # noqa: E402: imports only this file, without numpy


def mirrored():
    """Returns the structs of the package, each with the C type that it mirrors."""
    for thing in vars(_native).values():
        if isinstance(thing, type) and issubclass(thing, ctypes.Structure) and thing._fields_:
            yield thing, thing.c_name


def layout(struct, name):
    """Returns the lines that the C program must print, one per struct and field."""
    yield f"{name} {ctypes.sizeof(struct)}"
    for field, *_ in struct._fields_:
        yield f"{name}.{field} {getattr(struct, field).offset}"


def program(structs):
    lines = ["#include <reusedist/reusedist.h>", "#include <stddef.h>", "#include <stdio.h>",
             "int main(void) {"]
    for struct, name in structs:
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in struct._fields_:
            lines.append(f'    printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
    return "\n".join(lines + ["    return 0;", "}", ""])


structs = list(mirrored())
if not structs:
    sys.exit("the package mirrors no structs, so there is nothing to compare")
with tempfile.TemporaryDirectory() as folder:
    source, tool = Path(folder, "layout.c"), Path(folder, "layout")
    source.write_text(program(structs))
    subprocess.run([compiler, "-I", root / "include", source, "-o", tool], check=True)
    in_c = subprocess.run([tool], check=True, capture_output=True, text=True).stdout.splitlines()
in_python = [line for struct, name in structs for line in layout(struct, name)]
differences = [f"C has {c}, but Python has {p}" for c, p in zip(in_c, in_python) if c != p]
print("\n".join(differences) or f"{len(structs)} structs agree")
sys.exit(bool(differences))
