/* Copies references from traces into a new trace, for generate, convert and record. */
#ifndef RD_TRACE_COPY_H
#define RD_TRACE_COPY_H

#include "cli.h"
#include "option_rows.h"
#include "progress.h"

/* The options of a copy. COPY_OPTIONS: the rows of an option table that generate and convert share. */
typedef struct copy_options {
    const char *output; /* path of the new trace; NULL and "-": standard output */
    const char *to;     /* format of the new trace; NULL: native */
    uint32_t progress;  /* a progress_when */
    bool quiet;
    bool sampled; /* true: the recorder skips references (only record) */
    bool keep;    /* true: an unfinished file stays, see rd_trace_writer_keep() (only record) */
} copy_options;

#define COPY_OPTIONS(state, member)                                                                \
    OPTION_OUTPUT(offsetof(state, member.output), "TRACE",                                         \
                  "write the new trace to this file [standard output]"),                           \
        OPTION_TO(offsetof(state, member.to)), OPTION_PROGRESS(offsetof(state, member.progress)),  \
        OPTION_QUIET(offsetof(state, member.quiet), "show no progress bar and no notes")

typedef struct trace_copy trace_copy;

/* Prepares a copy. The caller must have checked the output. Returns NULL after reporting a failure
 * (*status is the exit status), for example a binary format on a terminal. `options` are borrowed.
 * `kinds` is a mask of the kinds to keep; 0 keeps all. `total` is the number of input bytes, or of
 * references of a generator, for the progress bar; 0 means unknown. */
trace_copy *trace_copy_new(rd_ctx *ctx, const copy_options *options, uint32_t kinds, uint64_t total,
                           int *status);

/* Appends a trace, which messages call `name`. All traces must have the columns of the first one.
 * Returns the exit status. If the trace is damaged, the references before the damage are appended,
 * and the status is EXIT_FAILED. */
int trace_copy_add(trace_copy *c, const char *name, rd_trace *trace);

/* Finishes the new trace and frees everything. `status` is the exit status of the command so far. No file appears
 * if no trace was added or a recorded program never began. If writing failed or `status` is EXIT_USAGE, no file
 * appears either, unless options->keep is true. With options->keep, an existing file then stays unchanged, and a
 * message names the file that has the references up to that point. Returns the exit status. */
int trace_copy_finish(trace_copy *c, int status);

#endif
