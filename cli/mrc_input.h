/* The input of mrc and sharing: a profile, or traces that are analyzed first. */
#ifndef RD_MRC_INPUT_H
#define RD_MRC_INPUT_H

#include "object_options.h"
#include "pipeline.h"

typedef struct mrc_input {
    const char *command; /* name of the command, for messages */
    const pipeline_options *pipe;
    const object_options *objects;
    const char *hist;      /* default of --hist; NULL if `objects` has no --weight=bytes */
    const char *for_bytes; /* given options that need --weight=bytes, for messages; NULL: none */
    const rd_sizes *sizes; /* cache sizes at which a curve in bytes must be exact; NULL: none */
    bool sharing;          /* true: find the data that threads share, without distances */
} mrc_input;

/* Reads the profile, or analyzes the `n` traces. Reports failures and returns the exit status. *out must
 * be NULL before the call, and stays NULL if there is no profile. */
int mrc_read(rd_ctx *ctx, const mrc_input *in, int n, char **paths, rd_profile **out);

#endif
