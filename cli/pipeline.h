/* An analysis as a command makes it: options in, messages and a progress bar while it runs, the
 * profile out.
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
#include "distance_file.h"
#include "option_rows.h"
#include "progress.h"

typedef struct pipeline_options {
    const char *engine; /* "NAME[:key=value,...]"; NULL: the default */
    const char *format; /* likewise; NULL: by content */
    const char *block;  /* bytes, or "addr"; NULL: by the trace */
    const char *kinds;  /* letters of "LSI"; NULL: all */
    const char *hist;   /* bins */
    const char *peaks;  /* sampling: "auto" or thresholds; NULL: none */
    uint64_t bound;     /* blocks; 0: none */
    uint64_t threads;
    uint64_t mem_bytes;     /* 0: no limit */
    uint32_t progress;      /* progress_when */
    const char *checkpoint; /* file to go on from; NULL: none */
    bool partial, quiet, verbose;
    attribute_options attribute;
} pipeline_options;

/* What only some commands want. */
typedef struct pipeline_extras {
    const char *distances; /* file for every distance; NULL: none */
    bool live;             /* a program is analyzed while it runs */
    bool kinds_chosen;     /* references of other kinds were left out already */
} pipeline_extras;

typedef struct pipeline {
    rd_analysis *analysis; /* the command adds the traces */
    /* The rest is pipeline.c's. */
    rd_ctx *ctx;
    const pipeline_options *options;
    pipeline_extras extras;
    attribute_choice attribute;
    rd_sampler_config sampling;
    distance_file *distances; /* opened with the first distances */
    bool distances_failed;    /* and reported */
    progress bar;
} pipeline;

/* Checks the options and opens the engine, before anything is read or started. Returns the exit
 * status, a mistake having been reported. `options` are borrowed, `extras` NULL: none. */
int pipeline_open(pipeline *p, rd_ctx *ctx, const pipeline_options *options,
                  const pipeline_extras *extras);
/* Analyzes what was added. Returns the exit status, failures having been reported. *out stays NULL
 * without a result; a damaged trace with options.partial gives both a result and EXIT_FAILED. */
int pipeline_run(pipeline *p, rd_profile **out);
void pipeline_close(pipeline *p); /* also after pipeline_open() has failed */

#endif
