/* A table of address ranges, each with a number that the caller chooses, and functions that search
 * the table.
 *
 * Ranges may overlap or contain each other. An address belongs to the range that begins last among
 * those that contain it, then to the shortest of them, then to the one with the largest number. A
 * search takes logarithmic time.
 */
#ifndef RDI_CODE_RANGES_H
#define RDI_CODE_RANGES_H

#include "base/common.h"

/* The addresses from `low` up to but not including `high`. `begin` is the beginning of the range that was
 * added; `low` can be greater after rdi_code_ranges_sort() if ranges overlap. */
typedef struct rdi_code_range {
    uint64_t low, high, begin;
    size_t item;
} rdi_code_range;

/* A table whose fields are all 0 is empty. */
typedef struct rdi_code_ranges {
    rdi_code_range *range;
    size_t n, room;
} rdi_code_ranges;

/* Adds [low, high) with the number `item`. An empty range is left out. */
rd_status rdi_code_ranges_add(rd_ctx *ctx, rdi_code_ranges *r, uint64_t low, uint64_t high,
                              size_t item);
/* Sorts the table for searching. The caller calls this function once, after it has added all ranges
 * and before the first search. */
rd_status rdi_code_ranges_sort(rd_ctx *ctx, rdi_code_ranges *r);
/* Returns the range that the address belongs to, or NULL. */
const rdi_code_range *rdi_code_ranges_find(const rdi_code_ranges *r, uint64_t address);
void rdi_code_ranges_fini(rd_ctx *ctx, rdi_code_ranges *r);

#endif
