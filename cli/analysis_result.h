/* Checks the outputs of analyze and run before the analysis, and writes the results after it.
 *
 * A command includes analysis_options.def in its option table and has an analysis_options in its
 * struct.
 */
#ifndef RD_ANALYSIS_RESULT_H
#define RD_ANALYSIS_RESULT_H

#include "object_options.h"
#include "pipeline.h"

typedef struct analysis_options {
    pipeline_options pipe;
    object_options objects; /* used by analyze; run does not have these options */
    uint32_t out;           /* OUT_TEXT, OUT_CSV or OUT_JSON */
    const char *output;
    const char *distances;
    const char *report; /* path of the HTML page; NULL: no page */
    bool ascii;
    bool simulate;  /* only analyze has this option: simulate the caches exactly */
    bool on_stderr; /* true: without -o, the result goes to standard error */
} analysis_options;

/* Checks that all outputs can be written, and that none overwrites a file that is read: `inputs`,
 * in which NULL is skipped, and the files of --object, --own and --machine. Commands call this
 * function before they open anything, because the analysis may take long. Reports a failure and
 * returns the exit status. */
int analysis_check(rd_ctx *ctx, const analysis_options *o, const char *const *inputs, size_t n);

/* Writes the result to the file of -o, to standard output or to standard error, and writes the page
 * if o->report names one. Refuses outputs that are source files of the profile, because the analysis
 * or the page reads the text of these files. Reports a failure and returns the exit status. */
int analysis_print(rd_ctx *ctx, const analysis_options *o, rd_profile *profile);

#endif
