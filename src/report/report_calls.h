/* The call paths with the most misses, for the text report. */
#ifndef RDI_REPORT_CALLS_H
#define RDI_REPORT_CALLS_H

#include "base/common.h"
#include "reusedist/attribution.h"

/* A line of the user's own code, reached through certain calls. The counts include those of library
 * code that the line calls. */
typedef struct rdi_call_path {
    size_t node; /* index of its node */
    uint64_t references, misses[RD_LEVELS_MAX];
} rdi_call_path;

/* Stores the up to `most` call paths with the most misses, in descending order, and returns their number. The
 * number is 0 if the profile has no calling contexts or if memory is exhausted. */
size_t rdi_call_paths_find(rd_ctx *ctx, const rd_details *d, rdi_call_path *out, size_t most);

/* Writes "file.c:14 function" and the calls in own code that led there, innermost first, to `label`, which
 * has `room` bytes. `arrow` is written before each call. */
void rdi_name_call_path(const rd_contexts *c, size_t node, const char *arrow, char *label,
                        size_t room);

#endif
