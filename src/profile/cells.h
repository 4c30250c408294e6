/* Cells: a scale from 0 to 2^64 - 1 with a fixed relative width, for distances and times of any
 * size in little room.
 *
 * Numbers below 2048 have a cell each; from there on every octave is cut into 1024 cells, so that a
 * number is known to one part in 1024 or better. Every power of two, and every multiple of a power
 * of two that is not narrower than the cells there, begins a cell.
 */
#ifndef RDI_CELLS_H
#define RDI_CELLS_H

#include "profile/hist.h"

#define RDI_CELL_BITS    10                             /* log2 of the cells per octave */
#define RDI_CELLS_SINGLE (UINT64_C(2) << RDI_CELL_BITS) /* below, a cell is one number */
#define RDI_CELLS        ((size_t)(64 - RDI_CELL_BITS + 1) << RDI_CELL_BITS)

/* A scale with 2^bits cells per octave: log2 of the width of the cell that x is in, and the cell.
 */
static inline unsigned rdi_scale_shift(uint64_t x, unsigned bits) {
    return rdi_bit_width(x | ((UINT64_C(2) << bits) - 1)) - (bits + 1);
}

static inline size_t rdi_scale_cell(uint64_t x, unsigned bits) {
    unsigned shift = rdi_scale_shift(x, bits);
    return (size_t)(((uint64_t)shift << bits) + (x >> shift));
}

/* The one scale that all cells here are of, unless they say otherwise. */
static inline unsigned rdi_cell_shift(uint64_t x) {
    return rdi_scale_shift(x, RDI_CELL_BITS);
}

static inline size_t rdi_cell_of(uint64_t x) {
    return rdi_scale_cell(x, RDI_CELL_BITS);
}

/* First and last number of a cell. */
static inline uint64_t rdi_cell_low(size_t cell) {
    uint64_t shift = cell < RDI_CELLS_SINGLE ? 0 : (cell >> RDI_CELL_BITS) - 1;
    return (uint64_t)(cell - (shift << RDI_CELL_BITS)) << shift;
}

static inline uint64_t rdi_cell_high(size_t cell) {
    uint64_t low = rdi_cell_low(cell);
    return low + ((UINT64_C(1) << rdi_cell_shift(low)) - 1);
}

/* Adds `total` references with distances up to `largest` to `out`. mass[] has the expected number
 * of them per cell and sums up to about `total`. The running sum is rounded, so that no sum over
 * neighbouring cells is off by more than one; inside a cell they are spread evenly. */
rd_status rdi_cells_count(const double *mass, uint64_t largest, uint64_t total, rdi_hist *out);

#endif
