/* The cost of the misses of a part of a profile on a machine. */
#ifndef RDI_MACHINE_MISSES_H
#define RDI_MACHINE_MISSES_H

#include "model/mrc.h"
#include "reusedist/attribution.h"

/* Returns RD_EINVAL unless the profile has distances of blocks as large as the machine's lines. */
rd_status rdi_machine_check(rd_ctx *ctx, const rd_profile *p, const rd_machine *m);

/* Computes the time that the references of a function, line or data region wait on a machine that
 * rdi_machine_check() has accepted. The misses are Smith's estimate from the log bins, whose
 * distances are spread evenly. Returns false if the machine does not state all latencies. */
bool rdi_machine_share_cycles(const rd_machine *m, const rd_share *share, rd_cycles *out);

#endif
