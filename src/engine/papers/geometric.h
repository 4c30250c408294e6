/* Declares the internals of the geometric engine: finding the next times of a round's references,
 * and ranking the points. */
#ifndef RDI_GEOMETRIC_H
#define RDI_GEOMETRIC_H

#include "engine/core/round.h"
#include "engine/papers/geometric_core.h"
#include "engine/papers/lanes.h"

/* The method to find next(t), the time of the next reference to the block of reference t. */
typedef enum rdi_next_how { RDI_NEXT_SORT, RDI_NEXT_RANGE, RDI_NEXT_TABLE } rdi_next_how;

typedef struct rdi_next {
    rdi_next_how how;
    uint64_t range; /* RDI_NEXT_RANGE: all blocks are below this number */
} rdi_next;

/* Parses "sort", "range:B" with B from 1 to 2^32 - 1, or "table". Returns RD_EINVAL for any other
 * text. */
rd_status rdi_next_parse(rd_ctx *ctx, const char *text, rdi_next *out);

/* Memory of a round. Its contents are not kept between rounds. */
typedef struct rdi_geometric_memory {
    rdi_room next;  /* one uint32_t per reference */
    rdi_room work;  /* the blocks to sort with their times, or the blocks to scan; later the
                       points */
    rdi_room work2; /* the second array for sorting and merging */
    rdi_room counts;
} rdi_geometric_memory;

/* Writes next(t) for n references in time order to memory->next. If there is no next reference,
 * next(t) is n + t. */
rd_status rdi_geometric_next(rdi_round *round, const rdi_lanes *lanes, const rdi_next *next,
                             const uint64_t *block, uint32_t n, rdi_geometric_memory *memory);

/* Computes the points of n references from the next times in memory->next, with their ranks and
 * sorted by next. The points are borrowed from `memory`. */
rd_status rdi_geometric_rank(rdi_round *round, const rdi_lanes *lanes, uint32_t n,
                             rdi_geometric_memory *memory, const rdi_point **out);

/* Returns the largest bit width of the n block ids. */
unsigned rdi_geometric_bits(const uint64_t *block, uint32_t n);
/* Checks the blocks of a round. Returns RD_ERANGE if the method is RDI_NEXT_RANGE and the id of a
 * block is next->range or more. */
rd_status rdi_geometric_check(rd_ctx *ctx, const rdi_next *next, const uint64_t *block, uint32_t n);

void rdi_geometric_memory_free(rd_ctx *ctx, rdi_geometric_memory *memory);

#endif
