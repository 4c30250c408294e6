/* bench: measures speed and memory of the engines, and the speed of reading traces. Suites engines,
 * threads and growth compare the answers of exact engines before they time the engines. */
#include "bench.h"

#include <stddef.h>
#include <string.h>

static const rd_opt bench_opts[] = {
#include "bench_options.def"
    {.name = "counts",
     .arg = "N,N,...",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = 256,
     .offset = offsetof(bench_options, counts),
     .help =
         "with suite threads: measure with these numbers of threads [1, 2, 4 ... up to --threads]"},
    {.name = NULL},
};

static const bench_suite *const suites[] = {&bench_engines, &bench_threads, &bench_growth,
                                            &bench_memory, &bench_formats};
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
    fail_usage("unknown suite '%s'; the suites are:", name);
    for (size_t i = 0; i < N_SUITES; i++)
        fprintf(stderr, "  %-10s %s\n", suites[i]->name, suites[i]->question);
    return EXIT_USAGE;
}

static int run_bench(rd_ctx *ctx, void *opts, int n, char **operands) {
    const bench_options *o = opts;
    const bench_suite *suite = find_suite(n > 0 ? operands[0] : "engines");
    if (!suite)
        return list_suites(operands[0]);
    return bench_run_suite(ctx, o, suite, n > 0 ? n - 1 : 0, operands + 1);
}

const command command_bench = {
    .name = "bench",
    .summary = "measure speed and memory of the engines, and check their answers",
    .operands = "[SUITE [TRACE...]]",
    .details = "Suites:\n"
               "  engines    which engine is fastest on which trace? (the default)\n"
               "  threads    how much do more threads help?\n"
               "  growth     what does a reference cost with 10^3 to 10^8 distinct blocks?\n"
               "  memory     how many bytes does a distinct block need, also while tables grow?\n"
               "  formats    how fast is reading alone, and how large are the files?\n"
               "A TRACE is a file, or a generator such as zipf:blocks=4M (see 'generate').\n",
    .opts = bench_opts,
    .opts_size = sizeof(bench_options),
    .max_operands = -1,
    .run = run_bench,
};
