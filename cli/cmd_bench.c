/* bench: speed and memory, never before the answer has been checked. */
#include "bench.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const rd_opt bench_opts[] = {
    {.name = "engine",
     .letter = 'e',
     .arg = "ENGINE",
     .type = RD_OPT_STRINGS,
     .offset = offsetof(bench_options, engines),
     .help = "compare these (may be repeated) [the suite's own]"},
    {.name = "repeat",
     .letter = 'r',
     .arg = "N",
     .type = RD_OPT_U64,
     .offset = offsetof(bench_options, repeats),
     .def = "5",
     .min = 1,
     .max = 32,
     .help = "timed runs of each; the median counts"},
    {.name = "refs",
     .arg = "N",
     .type = RD_OPT_SIZE,
     .offset = offsetof(bench_options, refs),
     .def = "0",
     .help = "references of generated traces [the suite's own]"},
    {.name = "threads",
     .letter = 't',
     .arg = "N",
     .type = RD_OPT_U64,
     .offset = offsetof(bench_options, threads),
     .def = "1",
     .min = 1,
     .max = 256,
     .help = "threads, at most"},
    {.name = "counts",
     .arg = "N,N,...",
     .type = RD_OPT_SIZES,
     .offset = offsetof(bench_options, counts),
     .help = "suite threads: these numbers of threads [1, 2, 4 ... up to --threads]"},
    {.name = "block",
     .letter = 'b',
     .arg = "BYTES|addr",
     .type = RD_OPT_STRING,
     .offset = offsetof(bench_options, block),
     .help = "size of a block in trace files [64; object ids: addr]"},
    {.name = "output",
     .letter = 'o',
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = offsetof(bench_options, output),
     .help = "append every result to this file, as JSON lines"},
    {.name = "json",
     .type = RD_OPT_BOOL,
     .offset = offsetof(bench_options, json),
     .help = "JSON lines on standard output instead of a table"},
    {.name = NULL},
};

static const bench_suite *const suites[] = {&bench_engines,    &bench_threads, &bench_growth,
                                            &bench_memory,     &bench_formats, &bench_figure7,
                                            &bench_carr_nicol, &bench_hprda,   &bench_sampling};
#define N_SUITES (sizeof suites / sizeof *suites)

const bench_suite *bench_suite_at(size_t index) {
    return index < N_SUITES ? suites[index] : NULL;
}

static const bench_suite *find_suite(const char *name) {
    for (size_t i = 0; i < N_SUITES; i++)
        if (strcmp(suites[i]->name, name) == 0)
            return suites[i];
    return NULL;
}

static int list_suites(const char *name) {
    fail_usage("unknown suite '%s'; these exist:", name);
    for (size_t i = 0; i < N_SUITES; i++)
        fprintf(stderr, "  %-10s %s\n", suites[i]->name, suites[i]->question);
    return EXIT_USAGE;
}

static int run_bench(rd_ctx *ctx, void *opts, int n, char **operands) {
    const bench_options *o = opts;
    const bench_suite *suite = find_suite(n > 0 ? operands[0] : "engines");
    if (!suite)
        return list_suites(operands[0]);
    bench b = {.ctx = ctx, .options = o, .suite = suite->name};
    if (o->output && !(b.lines = fopen(o->output, "a")))
        return fail("%s: cannot open: %s", o->output, strerror(errno));
    if (o->json && !b.lines)
        b.lines = stdout;
    if (!o->json)
        printf("%s: %s\n", suite->name, suite->question);
    if (!suite->run(&b, n > 0 ? n - 1 : 0, operands + 1) && b.status == EXIT_OK)
        b.status = fail("out of memory");
    if (o->output && (ferror(b.lines) | fclose(b.lines)) != 0 && b.status == EXIT_OK)
        b.status = fail("%s: cannot write: %s", o->output, strerror(errno));
    return b.status;
}

const command command_bench = {
    .name = "bench",
    .summary = "speed and memory of the engines, every answer checked first",
    .operands = "[SUITE [TRACE...]]",
    .details = "Suites:\n"
               "  engines    which engine is fastest on which trace? (the default)\n"
               "  threads    how much do more threads help?\n"
               "  growth     what does a reference cost with 10^3 to 10^8 distinct blocks?\n"
               "  memory     how many bytes does a distinct block cost, growth included?\n"
               "  formats    how fast is reading alone, and how large are the files?\n"
               "  figure7    how fast and accurate are order structures up to 10^12 elements?\n"
               "  carr-nicol Carr and Nicol's tables 1, 2 and 3, or table 5 of the traces named\n"
               "  hprda      HP-RDA's figures 10 to 17, of the traces named\n"
               "  sampling   how far off are samples, and how often does their band hold?\n"
               "A TRACE is a file, or a generator such as zipf:blocks=4M (see 'generate').\n",
    .opts = bench_opts,
    .opts_size = sizeof(bench_options),
    .max_operands = -1,
    .run = run_bench,
};
