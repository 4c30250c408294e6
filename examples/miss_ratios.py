"""Compares the miss ratios of two ways to add up a matrix."""
import numpy as np

import reusedist

ROWS, COLUMNS, ELEMENT, LINE = 1024, 512, 8, 64
addresses = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) * ELEMENT

for name, order in (("row by row", addresses), ("column by column", addresses.T)):
    profile = reusedist.measure(order // LINE, block_bytes=LINE)
    l1, l2 = profile.miss_ratios([32 * 1024 // LINE, 1024 * 1024 // LINE])
    curve = profile.curve()  # profile.plot() draws it
    print(f"{name}: misses {l1:.1%} with 32 KiB, {l2:.1%} with 1 MiB; "
          f"flat from {curve['blocks'][-1]} blocks on")
