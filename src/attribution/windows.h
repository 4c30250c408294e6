/* Counts of references per window of the run. When there are too many windows, neighbors are merged
 * in pairs, and all windows become twice as long. */
#ifndef RDI_WINDOWS_H
#define RDI_WINDOWS_H

#include "attribution/steps.h"
#include "profile/details.h"

#define RDI_WINDOW_FIRST 1024 /* number of references per window at the beginning */

typedef struct rdi_windows {
    rd_ctx *ctx;
    rdi_counts *row; /* array of `max` windows, of which `n` are used */
    size_t n, max;   /* max is even */
    uint64_t length; /* number of references per window */
    uint64_t left;   /* number of references that still belong to window n - 1 */
} rdi_windows;

rd_status rdi_windows_init(rdi_windows *w, rd_ctx *ctx, size_t max);
void rdi_windows_fini(rdi_windows *w);

/* Returns the current window. It has room for w->left > 0 references; the caller decreases `left`
 * as it counts. */
rdi_counts *rdi_windows_now(rdi_windows *w);

/* Makes the result, with phases, in the arena. */
rd_status rdi_windows_finish(const rdi_windows *w, const rdi_steps *steps, rdi_arena *arena,
                             const rd_windows **out);

#endif
