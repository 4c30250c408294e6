/* The timeline of the live bytes: a bounded number of moments, each with the maximum of the live
 * bytes since the previous moment, so that the largest maximum is the exact peak. See
 * rd_live_bytes. */
#ifndef RDI_LIVE_MOMENTS_H
#define RDI_LIVE_MOMENTS_H

#include "base/common.h"
#include "reusedist/objects.h"

typedef struct rdi_live_moments {
    rd_live_bytes at[RD_LIVE_POINTS];
    size_t n;
    uint64_t stride; /* number of requests between two moments */
    uint64_t until;  /* number of requests before the next moment */
    /* The maximum of the live bytes since the last moment, with and without expiry. */
    uint64_t bytes, no_expiry;
} rdi_live_moments;

/* Stores the moment after a request, or joins all pairs of moments if there is no room. */
void rdi_live_store(rdi_live_moments *m, uint64_t request, uint64_t time);
/* Stores the moment after the last request, unless it is already stored. */
void rdi_live_finish(rdi_live_moments *m, uint64_t request, uint64_t time);

/* Notes the live bytes after a request. `now` must have the number and time of this request. */
static inline void rdi_live_note(rdi_live_moments *m, const rd_live_bytes *now) {
    m->bytes = now->bytes > m->bytes ? now->bytes : m->bytes;
    m->no_expiry = now->no_expiry > m->no_expiry ? now->no_expiry : m->no_expiry;
    if (RDI_UNLIKELY(--m->until == 0))
        rdi_live_store(m, now->request, now->time);
}

#endif
