/* Stretches of time: counts the requests, bytes and misses of each stretch, in one pass. The
 * contents of the caches stay from one stretch to the next.
 *
 * The bins of distances count all requests so far. At the end of a stretch, the bins are compared
 * with a copy that was made at the beginning of the stretch, so a request takes as long as without
 * stretches. */
#ifndef RDI_STRETCHES_H
#define RDI_STRETCHES_H

#include "base/arena.h"
#include "objects/byte_bins.h"
#include "profile/section_stretches.h"

typedef struct rdi_traffic {
    uint64_t requests;
    rdi_u128 bytes;
} rdi_traffic;

/* The totals so far: all counted requests, and the misses of an infinite cache by cause. */
typedef struct rdi_object_totals {
    rdi_traffic counted, cold, deleted, expired;
} rdi_object_totals;

typedef struct rdi_stretches {
    uint64_t every;   /* length of a stretch in nanoseconds; 0: there are no stretches */
    uint64_t from;    /* beginning of the current stretch */
    uint64_t end;     /* first time after the current stretch; UINT64_MAX: it does not end */
    rd_status status; /* status of the first failure, after which nothing is added */
    uint64_t *count;  /* requests and bytes per bin at the beginning of the stretch */
    rdi_u128 *bytes;
    bool *is_end;             /* for each bin, whether a bin of stretches ends with it */
    rdi_object_totals before; /* the totals at the beginning of the stretch */
    rd_stretch *row;          /* the finished stretches; their bins are in the arena */
    size_t n, room;
    rdi_arena arena;
} rdi_stretches;

/* Prepares stretches of `every` nanoseconds; 0: none. The bins of a stretch end at powers of two
 * and at each of the n cache sizes. */
rd_status rdi_stretches_init(rdi_stretches *s, rd_ctx *ctx, uint64_t every, const rdi_byte_bins *b,
                             const uint64_t *sizes, size_t n);
void rdi_stretches_fini(rdi_stretches *s, rd_ctx *ctx); /* zeroed stretches are allowed */

/* Returns whether the current stretch has ended at `time`. */
static inline bool rdi_stretches_ended(const rdi_stretches *s, uint64_t time) {
    return RDI_UNLIKELY(time >= s->end) && s->end != UINT64_MAX;
}

/* Ends the current stretch and begins the one that contains `time`. A stretch without counted
 * requests leaves no row. A failure is kept in s->status. */
void rdi_stretches_turn(rdi_stretches *s, rd_ctx *ctx, const rdi_byte_bins *b,
                        const rdi_object_totals *now, uint64_t time);

/* Makes the section of all stretches so far. */
rd_status rdi_stretches_section_of(const rdi_stretches *s, rd_ctx *ctx, const rdi_byte_bins *b,
                                   const rdi_object_totals *now, rdi_stretches_section **out);

#endif
