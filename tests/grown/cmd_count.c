/* count: a command of a later release. It prints how many references a trace has. */
#include "cli.h"

#include <inttypes.h>

static int run_count(rd_ctx *ctx, void *opts, int n, char **operands) {
    (void)opts;
    (void)n;
    rd_trace *trace = NULL;
    const rd_refs *refs = NULL;
    uint64_t references = 0;
    rd_status status = rd_trace_open(ctx, operands[0], NULL, &trace);
    while (status == RD_OK && (status = rd_trace_read(trace, &refs)) == RD_OK && refs->n > 0)
        references += refs->n;
    rd_trace_close(trace);
    if (status != RD_OK)
        return fail_status(ctx, status);
    printf("%" PRIu64 " references\n", references);
    return EXIT_OK;
}

const command command_count = {
    .name = "count",
    .summary = "the number of references in a trace",
    .operands = "TRACE",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_count,
};
