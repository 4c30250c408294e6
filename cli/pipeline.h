/* Runs an analysis for a command: parses the options, shows messages and a progress bar while it
 * runs, and returns the profile.
 *
 *   pipeline_open(&p, ctx, &options, NULL), rd_analysis_add_file(p.analysis, ...),
 *   pipeline_run(&p, &profile), pipeline_close(&p)
 *
 * A command includes pipeline_options.def in its option table and has a pipeline_options in its
 * struct.
 */
#ifndef RD_PIPELINE_H
#define RD_PIPELINE_H

#include "attribute.h"
#include "cli.h"
#include "option_rows.h"
#include "progress.h"

typedef struct pipeline_options {
    const char *engine; /* "NAME[:key=value,...]"; NULL: the default */
    const char *format; /* "NAME[:key=value,...]"; NULL: detected from the content */
    const char *block;  /* bytes, or "addr"; NULL: depends on the trace */
    const char *kinds;  /* letters of "LSI"; NULL: all */
    const char *hist;   /* bins */
    const char *peaks;  /* sampling: "auto" or thresholds; NULL: none */
    uint64_t bound;     /* blocks; 0: none */
    uint64_t threads;
    uint64_t mem_bytes;     /* 0: no limit */
    uint32_t progress;      /* progress_when */
    const char *checkpoint; /* file to continue from; NULL: none */
    bool partial, quiet, verbose;
    attribute_options attribute;
} pipeline_options;

/* Settings that only some commands use. */
typedef struct pipeline_extras {
    const char *distances; /* file for every distance; NULL: none */
    bool live;             /* the analyzed program is running */
    bool kinds_chosen;     /* the recorder already dropped references of other kinds */
} pipeline_extras;

typedef struct pipeline {
    rd_analysis *analysis; /* the command adds the traces */
    /* Only pipeline.c uses the other members. */
    rd_ctx *ctx;
    const pipeline_options *options;
    pipeline_extras extras;
    attribute_choice attribute;
    rd_sampler_config sampling;
    progress bar;
} pipeline;

/* Checks the options and opens the engine, before anything is read or started. Reports a mistake
 * and returns the exit status. `options` are borrowed; `extras` NULL: none. */
int pipeline_open(pipeline *p, rd_ctx *ctx, const pipeline_options *options,
                  const pipeline_extras *extras);
/* Analyzes the traces that were added. Reports failures and returns the exit status. *out stays
 * NULL without a result. A damaged trace with options.partial gives both a result and EXIT_FAILED.
 */
int pipeline_run(pipeline *p, rd_profile **out);
void pipeline_close(pipeline *p); /* also after pipeline_open() has failed */

#endif
