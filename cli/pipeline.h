/* Runs an analysis for a command: parses the options, shows messages and a progress bar during the
 * analysis, and returns the profile.
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
    const char *engine;     /* "NAME[:key=value,...]"; NULL: the default */
    const char *format;     /* "NAME[:key=value,...]"; NULL: detected from the content */
    const char *block;      /* block size in bytes, or "addr"; NULL: depends on the trace */
    const char *kinds;      /* letters of "LSI"; NULL: all */
    const char *hist;       /* bins of the histogram */
    const char *peaks;      /* thresholds of sampling, or "auto"; NULL: no sampling */
    uint64_t bound;         /* bound in blocks; 0: unbounded */
    const char *threads;    /* number of threads, or "auto" */
    uint32_t merge;         /* an rd_merge */
    uint32_t stacks;        /* an rd_stacks */
    const char *interleave; /* "recorded" or "lockstep[:N]"; NULL: recorded */
    uint64_t reorder;       /* size of the reorder buffer in records; 0: the default */
    uint64_t mem_bytes;     /* memory limit in bytes; 0: none */
    uint32_t progress;      /* a progress_when */
    const char *checkpoint; /* checkpoint file to continue from and to update; NULL: none */
    bool partial, quiet, verbose;
    attribute_options attribute;
} pipeline_options;

/* Settings that only some commands have. */
typedef struct pipeline_extras {
    const char *distances; /* file that gets every distance; NULL: none */
    bool live;             /* true: the analyzed program runs at the same time */
    uint64_t burst;        /* see rd_analysis_config */
    bool kinds_chosen;     /* true: the recorder already dropped references of all other kinds */
    const rd_hierarchy *hierarchy; /* caches to simulate; NULL: none */
    bool without_causes;           /* see rd_analysis_config */
    rd_block_sink blocks;
    void *blocks_user;
    const rd_objects_config *objects; /* NULL: references in blocks; see rd_analysis_config */
    bool sharing;                     /* true: find the data that threads share */
} pipeline_extras;

typedef struct pipeline {
    rd_analysis *analysis; /* the command adds the traces to it */
    /* Only pipeline.c changes the members below. */
    rd_ctx *ctx;
    const pipeline_options *options;
    pipeline_extras extras;
    attribute_choice attribute;
    rd_sampler_config sampling;
    rd_interleave interleave;
    progress bar;
} pipeline;

/* Sets *out to the number of threads that the options ask for. Reports a mistake and returns the
 * exit status. */
int pipeline_threads(rd_ctx *ctx, const pipeline_options *options, uint32_t *out);

/* Returns whether the options ask for another order of threads than the recorded one. */
bool pipeline_is_lockstep(const pipeline_options *options);

/* Checks the options and opens the engine, before anything is read or started. Reports a failure
 * and returns the exit status. `options` is borrowed. `extras` may be NULL. */
int pipeline_open(pipeline *p, rd_ctx *ctx, const pipeline_options *options,
                  const pipeline_extras *extras);
/* Analyzes the traces that were added. Reports failures and returns the exit status. If there is no
 * result, *out becomes NULL. A damaged trace with options.partial gives both a result and
 * EXIT_FAILED. */
int pipeline_run(pipeline *p, rd_profile **out);
void pipeline_close(pipeline *p); /* must be called even if pipeline_open() fails */

#endif
