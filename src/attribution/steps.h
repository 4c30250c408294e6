/* Bins of distances that tell both the log bin and the levels that are missed.
 *
 * Log bins, cut further where a level begins to miss; infinite distances are a step of their own,
 * the last. One counter per step is then all there is to count for a reference.
 */
#ifndef RDI_STEPS_H
#define RDI_STEPS_H

#include "base/common.h"
#include "reusedist/attribution.h"

#define RDI_STEPS (RD_LOG_BINS + RD_LEVELS_MAX + 1)

typedef struct rdi_steps {
    uint64_t high[RDI_STEPS];   /* last distance of the step */
    uint8_t bin[RDI_STEPS];     /* log bin it lies in */
    uint8_t missed[RDI_STEPS];  /* levels: the first so many */
    uint8_t first[RD_LOG_BINS]; /* step of each log bin */
    uint8_t n;                  /* the last is infinite */
} rdi_steps;

/* Counts of references per step, and the sum of the finite distances. */
typedef struct rdi_counts {
    rdi_u128 sum;
    uint64_t at[RDI_STEPS];
} rdi_counts;

/* `blocks` of the levels, ascending. */
void rdi_steps_init(rdi_steps *s, const uint64_t *blocks, size_t n);

static inline unsigned rdi_step_of(const rdi_steps *s, uint64_t distance) {
    unsigned step = s->first[rdi_bit_width(distance)];
    while (distance > s->high[step])
        step++;
    return step;
}

void rdi_counts_add(rdi_counts *to, const rdi_counts *from);
/* Adds everything to a share. */
void rdi_counts_to_share(const rdi_steps *s, const rdi_counts *from, rd_share *to);
/* References, and the misses of all levels together. */
uint64_t rdi_counts_references(const rdi_steps *s, const rdi_counts *c);
uint64_t rdi_counts_misses(const rdi_steps *s, const rdi_counts *c);

#endif
