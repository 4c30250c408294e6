/* --attribute: distances by code, data and time, while the pipeline runs. */
#ifndef RD_ATTRIBUTE_H
#define RD_ATTRIBUTE_H

#include "cli.h"

typedef struct attribute_options {
    bool on;
    bool spatial;       /* also the profile in words */
    const char *caches; /* --caches; NULL: those of this machine */
    uint64_t windows;   /* at most; 0: the default */
    rd_strings objects; /* PATH[@ADDRESS]: files of the program, for traces that do not tell */
} attribute_options;

typedef struct attribution attribution;

/* NULL after having reported a failure; *exit_status tells. */
attribution *attribute_open(rd_ctx *ctx, const attribute_options *options,
                            const rd_mapping *mapping, uint64_t bound, int *exit_status);
/* A batch of references as read from the trace, before they are mapped; `first` have been before
 * it.
 */
rd_status attribute_refs(attribution *a, const rd_trace *trace, uint64_t first,
                         const rd_refs *refs);
/* Block references of it, in order, and their distances. */
rd_status attribute_feed(attribution *a, const rd_attributed *batch);
/* That was the batch: what happened after the last of them, or if there were none. */
rd_status attribute_refs_end(attribution *a);
/* Into the profile, which is complete otherwise. */
rd_status attribute_finish(attribution *a, rd_profile *profile);
void attribute_close(attribution *a); /* NULL is allowed */

#endif
