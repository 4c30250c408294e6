/* Finds phases, which are stretches of a run with one behavior. The signature of a window has the
 * fraction of its references in each bin of distances. A phase begins where the signature changes,
 * and a phase that recurs is recognized by its signature. */
#ifndef RDI_PHASES_H
#define RDI_PHASES_H

#include "base/common.h"
#include "reusedist/attribution.h"

/* Finds the phases of n windows. Both arrays have room for n numbers. For every interval in which
 * the run stays in one phase, `begins` gets the index of the first window, and `numbers` the number
 * of the phase. Phases are numbered from 1 in the order in which they appear. *found is set to the
 * number of intervals. */
rd_status rdi_phases_find(rd_ctx *ctx, const rd_window *rows, size_t n, size_t *begins,
                          size_t *numbers, size_t *found);

#endif
