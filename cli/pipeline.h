/* Traces through mapper and engine into a profile: what every analysing command shares.
 *
 * A command includes pipeline_options.def in its option table and has a pipeline_options in its
 * struct.
 */
#ifndef RD_PIPELINE_H
#define RD_PIPELINE_H

#include "attribute.h"
#include "cli.h"
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

/* The traces, one after the other taken as one; "-" is standard input. */
typedef struct pipeline_input {
    int n;
    char **paths;
    rd_live *live;    /* not NULL: instead of a file, a running program, which paths[0] names */
    bool only_wanted; /* references of other kinds were left out already */
    const void *head; /* what has been read from standard input already */
    size_t head_bytes;
} pipeline_input;

/* `distances` is the path for --distances, or NULL. Returns the exit status, failures having been
 * reported. *out stays NULL without a result; a damaged trace with options.partial gives both a
 * result and EXIT_FAILED. */
int pipeline_run(rd_ctx *ctx, const pipeline_options *options, const pipeline_input *input,
                 const char *distances, rd_profile **out);

/* Whether the engine gives the distance of every reference at once, which an option needs that
 * works on them; reported in the option's name if not. */
bool pipeline_gives_distances(const rd_engine *engine, const char *option);

#endif
