/* The call paths with the most misses, for the text report. */
#ifndef RDI_REPORT_CALLS_H
#define RDI_REPORT_CALLS_H

#include "base/text.h"
#include "reusedist/attribution.h"

/* A line of the user's own code, reached through certain calls of own code. The counts include the counts
 * of library code that it calls. */
typedef struct rdi_call_path {
    size_t node; /* index of its first node in rd_contexts */
    uint64_t references, misses[RD_LEVELS_MAX];
} rdi_call_path;

/* Stores the call paths with the most misses, at most `most` of them, in descending order of misses, and
 * returns their number. Paths without misses are left out. Contexts that differ only in library code between
 * two own frames are one path. The number is 0 if the profile has no calling contexts or if memory is
 * exhausted. */
size_t rdi_call_paths_find(rd_ctx *ctx, const rd_details *d, rdi_call_path *out, size_t most);

/* Adds "file.c:14 function" of a node. */
void rdi_name_node(const rd_contexts *c, size_t node, rdi_text *label);

/* Adds the calls in own code through which a node was reached, innermost first, with `arrow` before each call.
 * If the text has more than `width` columns, the functions lose their scopes, and then `dots` replace outermost
 * calls, but not the innermost one. */
void rdi_name_calls(const rd_contexts *c, size_t node, const char *arrow, const char *dots,
                    unsigned width, rdi_text *label);

#endif
