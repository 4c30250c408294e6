/* Implements the timeline of the live bytes. See live_moments.h. */
#include "objects/live_moments.h"

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void join_pairs(rdi_live_moments *m) {
    m->n /= 2;
    for (size_t i = 0; i < m->n; i++) {
        rd_live_bytes first = m->at[2 * i], second = m->at[2 * i + 1];
        second.bytes = larger(first.bytes, second.bytes);
        second.no_expiry = larger(first.no_expiry, second.no_expiry);
        m->at[i] = second;
    }
}

static void append(rdi_live_moments *m, uint64_t request, uint64_t time) {
    m->at[m->n++] = (rd_live_bytes){request, time, m->bytes, m->no_expiry};
    m->bytes = m->no_expiry = 0;
}

void rdi_live_store(rdi_live_moments *m, uint64_t request, uint64_t time) {
    m->until = m->stride;
    if (m->n < RD_LIVE_POINTS) {
        append(m, request, time);
        return;
    }
    join_pairs(m); /* this request ends the first half of the requests of the next moment */
    m->stride *= 2;
}

void rdi_live_finish(rdi_live_moments *m, uint64_t request, uint64_t time) {
    if (request == 0 || (m->n && m->at[m->n - 1].request == request))
        return;
    if (m->n == RD_LIVE_POINTS)
        join_pairs(m);
    append(m, request, time);
}
