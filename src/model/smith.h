/* The probability that a reference misses in a set-associative LRU cache, given its reuse distance
 * (Smith 1978).
 *
 * The model assumes that every block maps to each of the S sets with the same probability. A
 * reference at distance d misses in a cache of A ways if at least A of the d other blocks map to
 * its set: with the probability P(binomial(d, 1/S) >= A).
 */
#ifndef RDI_SMITH_H
#define RDI_SMITH_H

#include "base/common.h"

/* Returns the probability of a miss at the distance d. `sets` and `ways` are at least 1. The error
 * is below 1e-8, even for caches of 2^40 blocks; see smith.c. */
double rdi_smith_miss(uint64_t d, uint64_t sets, uint64_t ways);

/* The state of reading the miss probabilities of one cache at ascending distances. Where the
 * probability changes slowly, it is computed at a few distances and interpolated between them, so
 * that a caller can ask for every distance of a histogram. The error of interpolation is below
 * 1e-8. */
typedef struct rdi_smith {
    uint64_t sets, ways;
    uint64_t low, high; /* the probability is 0 below `low` and 1 from `high` on, with an error of
                           at most 1e-17 */
    uint64_t step;      /* number of distances per cell: a multiple of 3, or 1: no interpolation */
    uint64_t cell;      /* number of the cell whose nodes are known; UINT64_MAX: none */
    double node[4];     /* probabilities at 0, 1, 2 and 3 thirds of this cell */
} rdi_smith;

/* Starts reading the probabilities of a cache. `sets` times `ways` must be at most 2^60. */
rdi_smith rdi_smith_start(uint64_t sets, uint64_t ways);
double rdi_smith_at(rdi_smith *s, uint64_t d);
/* Returns the mean probability over the distances [from, end). `from` must be below `end`. */
double rdi_smith_mean(rdi_smith *s, uint64_t from, uint64_t end);

#endif
