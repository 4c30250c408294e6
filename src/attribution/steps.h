/* Steps: bins of distances that determine both the log bin and the levels that miss.
 *
 * A step is a log bin. If a level begins to miss inside a log bin, the bin is divided into two
 * steps there. Infinite distances are the last step. So a reference needs to be counted in only one
 * counter.
 */
#ifndef RDI_STEPS_H
#define RDI_STEPS_H

#include "base/common.h"
#include "reusedist/attribution.h"

#define RDI_STEPS (RD_LOG_BINS + RD_LEVELS_MAX + 1)

typedef struct rdi_steps {
    uint64_t high[RDI_STEPS];   /* last distance of the step */
    uint8_t bin[RDI_STEPS];     /* log bin of the step */
    uint8_t missed[RDI_STEPS];  /* number of levels that miss, which are the smallest ones */
    uint8_t first[RD_LOG_BINS]; /* first step of each log bin */
    uint8_t n;                  /* number of steps */
} rdi_steps;

/* Counts of references per step, and the sum of the finite distances. */
typedef struct rdi_counts {
    rdi_u128 sum;
    uint64_t at[RDI_STEPS];
} rdi_counts;

/* Makes the steps for n levels. `blocks` has the sizes of the levels in ascending order. */
void rdi_steps_init(rdi_steps *s, const uint64_t *blocks, size_t n);

static inline unsigned rdi_step_of(const rdi_steps *s, uint64_t distance) {
    unsigned step = s->first[rdi_bit_width(distance)];
    while (distance > s->high[step])
        step++;
    return step;
}

void rdi_counts_add(rdi_counts *to, const rdi_counts *from);
/* Adds all counts to a share. */
void rdi_counts_to_share(const rdi_steps *s, const rdi_counts *from, rd_share *to);
/* Return the number of references, and the sum of the misses over all levels. */
uint64_t rdi_counts_references(const rdi_steps *s, const rdi_counts *c);
uint64_t rdi_counts_misses(const rdi_steps *s, const rdi_counts *c);

#endif
