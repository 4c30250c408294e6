/* verify: checks every engine against the oracle on random and hostile traces. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

typedef struct verify_opts {
    rd_strings engines;
    double seconds;
    uint64_t seed, traces, shortest, longest;
    const char *output;
} verify_opts;

static const rd_opt opts_table[] = {
    {.name = "engine",
     .letter = 'e',
     .type = RD_OPT_STRINGS,
     .offset = offsetof(verify_opts, engines),
     .arg = "ENGINE",
     .help = "check this engine; may be repeated [all]"},
    {.name = "seconds",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(verify_opts, seconds),
     .def = "10",
     .min = 0,
     .max = 1e9,
     .arg = "N",
     .help = "stop after N seconds"},
    {.name = "traces",
     .type = RD_OPT_U64,
     .offset = offsetof(verify_opts, traces),
     .arg = "N",
     .help = "stop after N traces, regardless of the time"},
    {.name = "shortest",
     .type = RD_OPT_SIZE,
     .offset = offsetof(verify_opts, shortest),
     .def = "0",
     .min = 0,
     .max = 1 << 30,
     .arg = "N",
     .help = "minimum length of a trace in references"},
    {.name = "longest",
     .type = RD_OPT_SIZE,
     .offset = offsetof(verify_opts, longest),
     .def = "20000",
     .min = 1,
     .max = 1 << 30,
     .arg = "N",
     .help = "maximum length of a trace in references"},
    {.name = "seed",
     .type = RD_OPT_U64,
     .offset = offsetof(verify_opts, seed),
     .def = "1",
     .arg = "N",
     .help = "seed of the first trace"},
    {.name = "output",
     .letter = 'o',
     .type = RD_OPT_STRING,
     .offset = offsetof(verify_opts, output),
     .def = "verify-difference.txt",
     .arg = "FILE",
     .help =
         "if an engine differs from the oracle, write the smallest trace that shows it to FILE"},
    {0},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static rd_status check(rd_verify *v, const verify_opts *opts) {
    double end = now() + opts->seconds;
    for (uint64_t done = 0; opts->traces ? done < opts->traces : now() < end; done++) {
        rd_status status = rd_verify_next(v);
        if (status != RD_OK || rd_verify_difference(v))
            return status;
    }
    return RD_OK;
}

static void print_checked(const rd_verify *v) {
    printf("%12s %14s  %s\n", "traces", "references", "engine");
    for (size_t i = 0; rd_verified_at(v, i); i++) {
        const rd_verified *done = rd_verified_at(v, i);
        if (done->unchecked)
            printf("%27s  %s: %s\n", "not checked", done->engine, done->unchecked);
        else
            printf("%12" PRIu64 " %14" PRIu64 "  %s%s%s\n", done->traces, done->references,
                   done->engine, strcmp(done->promise, "exact") == 0 ? "" : ": ",
                   strcmp(done->promise, "exact") == 0 ? "" : done->promise);
    }
}

static bool anything_checked(const rd_verify *v) {
    for (size_t i = 0; rd_verified_at(v, i); i++)
        if (rd_verified_at(v, i)->references > 0)
            return true;
    return false;
}

/* Writes the shrunk trace with one block id per line, which people and `analyze` can read. */
static rd_status write_trace(rd_ctx *ctx, const char *path, const rd_difference *d) {
    rd_trace_writer *w = NULL;
    rd_status status = rd_trace_writer_open(ctx, path, "text", 0, true, &w);
    if (status == RD_OK && d->n > 0)
        status = rd_trace_writer_write(w, &(rd_refs){.n = d->n, .addr = d->blocks});
    if (status == RD_OK)
        status = rd_trace_writer_finish(w);
    rd_trace_writer_close(w);
    return status;
}

static int report_difference(rd_ctx *ctx, const verify_opts *opts, const rd_difference *d) {
    printf("\nDIFFERENCE in engine %s\n"
           "  difference  %s\n"
           "  setup       %s\n"
           "  trace       seed %" PRIu64 ", %s\n"
           "  smallest    %zu reference%s, in %s\n"
           "  repeat      reusedist verify --engine=%s --seed=%" PRIu64 " --shortest=%" PRIu64
           " --longest=%" PRIu64 " --traces=1\n",
           d->engine, d->what, d->setup, d->seed, d->trace, d->n, d->n == 1 ? "" : "s",
           opts->output, d->engine, d->seed, opts->shortest, opts->longest);
    rd_status status = write_trace(ctx, opts->output, d);
    return status == RD_OK ? EXIT_FAILED : fail_status(ctx, status);
}

static int run_verify(rd_ctx *ctx, void *state, int n, char **operands) {
    (void)n;
    (void)operands;
    const verify_opts *opts = state;
    rd_verify *v = NULL;
    rd_verify_config config = {.size = sizeof config,
                               .engines = opts->engines.value,
                               .n_engines = opts->engines.n,
                               .seed = opts->seed,
                               .shortest = (size_t)opts->shortest,
                               .longest = (size_t)opts->longest};
    rd_status status = rd_verify_new(ctx, &config, &v);
    if (status != RD_OK)
        return fail_status(ctx, status);
    status = check(v, opts);
    print_checked(v);
    int code = EXIT_OK;
    if (status != RD_OK)
        code = fail("%s", rd_last_error(ctx));
    else if (rd_verify_difference(v))
        code = report_difference(ctx, opts, rd_verify_difference(v));
    else if (!anything_checked(v))
        code = fail(
            "verify: nothing was compared with the oracle: no trace with references was made, or "
            "no engine can be checked; raise --seconds or --traces, or name another engine");
    else
        puts("\nno difference");
    rd_verify_free(v);
    return code;
}

const command command_verify = {
    .name = "verify",
    .summary = "check the engines against the oracle on random traces",
    .opts = opts_table,
    .opts_size = sizeof(verify_opts),
    .details =
        "This command makes random and hostile traces, runs every engine on them with random\n"
        "bounds, thread counts and batches, and compares every distance, total and histogram bin\n"
        "with the oracle's. An approximate engine must keep its error bound. An engine without an\n"
        "error bound must have the right totals and give the same answer twice. If there is a\n"
        "difference, the exit status is 1, and FILE gets the smallest trace that shows it.\n",
    .run = run_verify,
};
