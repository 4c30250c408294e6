/* Cells: a scale from 0 to 2^64 - 1 with a fixed relative width, which stores distances and times
 * of any size in little memory.
 *
 * Each number below 2048 has its own cell. From 2048 on, every octave has 1024 cells, so that the
 * relative error of a number is at most 1/1024. Every power of two begins a cell. Wherever cells
 * are at most 2^k wide, every multiple of 2^k begins a cell.
 */
#ifndef RDI_CELLS_H
#define RDI_CELLS_H

#include "profile/hist.h"

#define RDI_CELL_BITS 10 /* log2 of the number of cells per octave */
#define RDI_CELLS_SINGLE                                                                           \
    (UINT64_C(2) << RDI_CELL_BITS) /* below this number, a cell holds one number */
#define RDI_CELLS ((size_t)(64 - RDI_CELL_BITS + 1) << RDI_CELL_BITS)

/* These functions return log2 of the width of the cell of x, and the index of the cell, on a scale
 * with 2^bits cells per octave. */
static inline unsigned rdi_scale_shift(uint64_t x, unsigned bits) {
    return rdi_bit_width(x | ((UINT64_C(2) << bits) - 1)) - (bits + 1);
}

static inline size_t rdi_scale_cell(uint64_t x, unsigned bits) {
    unsigned shift = rdi_scale_shift(x, bits);
    return (size_t)(((uint64_t)shift << bits) + (x >> shift));
}

/* These functions do the same on the default scale, which has 2^RDI_CELL_BITS cells per octave. */
static inline unsigned rdi_cell_shift(uint64_t x) {
    return rdi_scale_shift(x, RDI_CELL_BITS);
}

static inline size_t rdi_cell_of(uint64_t x) {
    return rdi_scale_cell(x, RDI_CELL_BITS);
}

/* These functions return the first and the last number of a cell of the default scale. */
static inline uint64_t rdi_cell_low(size_t cell) {
    uint64_t shift = cell < RDI_CELLS_SINGLE ? 0 : (cell >> RDI_CELL_BITS) - 1;
    return (uint64_t)(cell - (shift << RDI_CELL_BITS)) << shift;
}

static inline uint64_t rdi_cell_high(size_t cell) {
    uint64_t low = rdi_cell_low(cell);
    return low + ((UINT64_C(1) << rdi_cell_shift(low)) - 1);
}

/* Adds `total` references with distances up to `largest` to `out`. mass[] has the expected number
 * of references per cell and sums to about `total`. The running sum is rounded, so that the sum
 * over any adjacent cells is off by at most one. Inside a cell, references are spread evenly. */
rd_status rdi_cells_count(const double *mass, uint64_t largest, uint64_t total, rdi_hist *out);

#endif
