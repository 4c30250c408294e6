/* Phases: stretches of the run with one behavior. The signature of a window is the share of its
 * references per distance. A phase begins where the signature changes, and a phase that comes back
 * is recognized by its signature. */
#ifndef RDI_PHASES_H
#define RDI_PHASES_H

#include "base/common.h"
#include "reusedist/attribution.h"

/* Finds the phases of `n` windows. Both arrays have room for n numbers. For every interval in which
 * the run stays in one phase, `begins` gets the index of its first window, and `numbers` the number of
 * the phase, which counts the phases from 1 in the order in which they appear. `found` gets the number
 * of intervals. */
rd_status rdi_phases_find(rd_ctx *ctx, const rd_window *rows, size_t n, size_t *begins,
                          size_t *numbers, size_t *found);

#endif
