/* From traces or a running program to a result that is printed or kept: what analyze and run share.
 *
 * A command includes analysis_options.def in its option table and has an analysis_options in its
 * struct.
 */
#ifndef RD_ANALYSIS_RESULT_H
#define RD_ANALYSIS_RESULT_H

#include "pipeline.h"

typedef struct analysis_options {
    pipeline_options pipe;
    uint32_t out; /* text, csv or json */
    const char *output;
    const char *distances;
    const char *report; /* the page */
    bool ascii;
} analysis_options;

/* Whether the results have places to go to, other than the files that are read. Before the work,
 * which may be long, and before anything is opened. Returns the exit status, a mistake having been
 * reported. */
int analysis_check(const analysis_options *o, int n, char **inputs);

/* Prints the result, or writes it to its file, and the page. Returns the exit status. */
int analysis_print(rd_ctx *ctx, const analysis_options *o, rd_profile *profile);

#endif
