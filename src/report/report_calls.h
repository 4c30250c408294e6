/* The call paths with the most misses, for the text report. */
#ifndef RDI_REPORT_CALLS_H
#define RDI_REPORT_CALLS_H

#include "base/common.h"
#include "reusedist/attribution.h"

/* A line of the user's own code, reached through certain calls. Its counts include the counts of library
 * code that it calls. */
typedef struct rdi_call_path {
    size_t node; /* index of its node in rd_contexts */
    uint64_t references, misses[RD_LEVELS_MAX];
} rdi_call_path;

/* Stores the call paths with the most misses, at most `most` of them, in descending order of misses, and
 * returns their number. Paths without misses are left out. The number is 0 if the profile has no calling
 * contexts or if memory is exhausted. */
size_t rdi_call_paths_find(rd_ctx *ctx, const rd_details *d, rdi_call_path *out, size_t most);

/* Writes "file.c:14 function" of a node and the calls in own code through which it was reached, innermost
 * first, to `label`, which has `room` bytes. Leaves out all but the innermost calls of a long path. Writes
 * `arrow` before each call. */
void rdi_name_call_path(const rd_contexts *c, size_t node, const char *arrow, char *label,
                        size_t room);

#endif
