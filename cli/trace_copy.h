/* References from traces into a new trace: what generate and convert share. */
#ifndef RD_TRACE_COPY_H
#define RD_TRACE_COPY_H

#include "cli.h"
#include "option_rows.h"
#include "progress.h"

/* Fields that both commands have among their options, with their rows of the option table. */
typedef struct copy_options {
    const char *output; /* NULL and "-": standard output */
    const char *to;     /* format; NULL: native */
    uint32_t progress;  /* progress_when */
    bool quiet;
    bool sampled;        /* record: references are left out */
    bool keep;           /* record: what is there when something fails stays */
    const rd_live *live; /* record: there is no new trace if no program begins; else NULL */
} copy_options;

#define COPY_OPTIONS(state, member)                                                                \
    OPTION_OUTPUT(offsetof(state, member.output), "TRACE", "the new trace [standard output]"),     \
        OPTION_TO(offsetof(state, member.to)), OPTION_PROGRESS(offsetof(state, member.progress)),  \
        OPTION_QUIET(offsetof(state, member.quiet), "no progress bar, no notes")

typedef struct trace_copy trace_copy;

/* NULL after having reported a mistake (*status is the exit status): binary formats do not go to a
 * terminal, and the place must be one that can be written. `total` is what progress counts up to, 0
 * unknown. */
trace_copy *trace_copy_new(rd_ctx *ctx, const copy_options *options, uint32_t kinds, uint64_t total,
                           int *status);

/* Appends a trace; `name` for messages. The first one decides on the columns, and the others must
 * have the same. Returns the exit status: EXIT_FAILED when the trace is damaged, and then what came
 * before the damage has been appended. */
int trace_copy_add(trace_copy *c, const char *name, rd_trace *trace);

/* Ends the new trace and frees everything. `status` is that of the command so far: after a failure
 * to write, or if nothing was added, no file appears. Returns the exit status. */
int trace_copy_finish(trace_copy *c, int status);

#endif
