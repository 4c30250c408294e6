/* The program `paper-bench`, which repeats the measurements of the papers. bench/README.md
 * describes its suites.
 *
 * The suites use the functions of `reusedist bench`. The program is not installed, because users do
 * not need it. */
#include "papers.h"

#include <stddef.h>
#include <string.h>

const char program_name[] = "paper-bench";

static const rd_opt opts[] = {
#include "bench_options.def"
    {.name = NULL},
};

static const bench_suite *const suites[] = {&paper_figure7, &paper_carr_nicol, &paper_hprda,
                                            &paper_sampling};
#define N_SUITES (sizeof suites / sizeof *suites)

static void print_overview(FILE *out) {
    fputs("usage: paper-bench SUITE [OPTIONS] [TRACE...]\n"
          "Measures tables and figures of the papers on this machine. Suites:\n",
          out);
    for (size_t i = 0; i < N_SUITES; i++)
        fprintf(out, "  %-10s %s\n", suites[i]->name, suites[i]->question);
    fputs("A TRACE is a file, or a generator such as zipf:blocks=4M (see 'reusedist generate').\n"
          "'paper-bench SUITE --help' lists the options.\n",
          out);
}

static const bench_suite *find_suite(const char *name) {
    for (size_t i = 0; i < N_SUITES; i++)
        if (strcmp(suites[i]->name, name) == 0)
            return suites[i];
    return NULL;
}

static int run(rd_ctx *ctx, const bench_suite *suite, int n, char **words) {
    const command cmd = {
        .name = suite->name, .summary = suite->question, .operands = "[TRACE...]", .opts = opts};
    bench_options options = {0};
    if (asks_for_help(n, words)) {
        print_command_help(stdout, &cmd);
        return EXIT_OK;
    }
    if (!parse_args(ctx, &cmd, &options, &n, words))
        return EXIT_USAGE;
    return bench_run_suite(ctx, &options, suite, n, words);
}

static int dispatch(rd_ctx *ctx, int argc, char **argv) {
    const bench_suite *suite = argc > 1 ? find_suite(argv[1]) : NULL;
    if (suite)
        return run(ctx, suite, argc - 2, argv + 2);
    bool help = argc < 2 || asks_for_help(argc - 1, argv + 1);
    if (!help)
        fail_usage("unknown suite '%s'", argv[1]);
    print_overview(help ? stdout : stderr);
    return help ? EXIT_OK : EXIT_USAGE;
}

int main(int argc, char **argv) {
    program_begin();
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return fail("out of memory");
    int status = program_end(dispatch(ctx, argc, argv));
    rd_ctx_free(ctx);
    return status;
}
