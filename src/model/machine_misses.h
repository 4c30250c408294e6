/* Computes the time that the references of a function, line or data region wait for the caches and
 * the memory of a machine. */
#ifndef RDI_MACHINE_MISSES_H
#define RDI_MACHINE_MISSES_H

#include "model/mrc.h"
#include "reusedist/attribution.h"

/* Returns RD_EINVAL unless the blocks of the profile are as large as the machine's lines and, if
 * the profile has references, it has their distances. */
rd_status rdi_machine_check(rd_ctx *ctx, const rd_profile *p, const rd_machine *m);

/* The probabilities that references miss in the caches of a machine, by the log bin of their
 * distance: Smith's estimate, as if the distances of a bin were spread evenly. */
typedef struct rdi_machine_bins {
    const rd_machine *machine; /* borrowed */
    double miss[RD_CACHES_MAX][RD_LOG_BINS];
} rdi_machine_bins;

/* Computes the probabilities for a machine that rd_machine_misses_of() has accepted. */
rdi_machine_bins rdi_machine_bins_of(const rd_machine *m);
/* Computes the time that the references of a function, line or data region wait. Returns false if
 * the machine does not state all latencies. */
bool rdi_machine_share_cycles(const rdi_machine_bins *bins, const rd_share *share, rd_cycles *out);

#endif
