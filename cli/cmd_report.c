/* report: makes a page for a browser from profiles. */
#include "cli.h"
#include "option_rows.h"
#include "output_file.h"
#include "page_file.h"
#include "profile_files.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct report_options {
    const char *output;
    const char *caches;
    rd_strings machines;
} report_options;

static const rd_opt report_opts[] = {
    OPTION_OUTPUT(offsetof(report_options, output), "FILE.html",
                  "write the page to this file [standard output]"),
    {.name = "caches",
     .arg = "SIZES",
     .type = RD_OPT_STRING,
     .offset = offsetof(report_options, caches),
     .help = "mark these caches in the charts: L1=48K,L2=2M,... [this machine's]"},
    {.name = "machine",
     .arg = "MACHINE|host|FILE",
     .type = RD_OPT_STRINGS,
     .offset = offsetof(report_options, machines),
     .help =
         "estimate the misses of this machine's caches and the time they cost; may be repeated"},
    {.name = NULL},
};

/* Finds the machines of the page. Reports a failure and returns the exit status. */
static int find_machines(rd_ctx *ctx, const report_options *o, rd_machine *out) {
    for (size_t i = 0; i < o->machines.n; i++) {
        rd_status status = rd_machine_find(ctx, o->machines.value[i], &out[i]);
        if (status != RD_OK)
            return fail_status(ctx, status);
    }
    return EXIT_OK;
}

static int run_report(rd_ctx *ctx, void *opts, int n, char **operands) {
    const report_options *o = opts;
    output_place place = {.option = "-o", .path = o->output};
    cache_list caches = {0};
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status == EXIT_OK) /* --machine may name a file */
        status = output_check(ctx, &place, 1, o->machines.value, o->machines.n);
    if (status == EXIT_OK && o->caches)
        status = caches_parse(ctx, o->caches, &caches);
    rd_machine *machines = calloc(o->machines.n + 1, sizeof *machines);
    if (!machines)
        return fail("out of memory");
    if (status == EXIT_OK)
        status = find_machines(ctx, o, machines);
    rd_profile **profiles = NULL;
    if (status == EXIT_OK)
        status = read_profiles(ctx, (size_t)n, operands, &profiles);
    if (status == EXIT_OK) {
        rd_page page = {.size = sizeof page,
                        .profiles = profiles,
                        .names = (const char *const *)operands,
                        .n = (size_t)n,
                        .machines = machines,
                        .n_machines = o->machines.n};
        status = page_write(ctx, &page, o->caches ? &caches : NULL, o->output);
        free_profiles(profiles, (size_t)n);
    }
    free(machines);
    return status;
}

const command command_report = {
    .name = "report",
    .summary = "make an HTML page with charts, tables and findings",
    .operands = "PROFILE...",
    .details =
        "The page is one HTML file that needs no network. It shows miss ratios by cache size,\n"
        "histograms, the code and data that cause the misses, phases, and how everything was\n"
        "measured. Several profiles share the charts; for two the page also shows the\n"
        "difference. The page of object caches (--weight=bytes) shows misses of requests and of\n"
        "bytes, what more memory brings, sizes and popularity of the objects, and live bytes.\n"
        "\n"
        "  reusedist report before.json after.json -o report.html\n"
        "\n"
        "With --machine=zen4, or --caches with ways, the page also shows the caches of machines:\n"
        "the traffic between them by Smith's estimate, and the functions and lines that wait\n"
        "longest for data, as ranges. The page switches between several machines.\n",
    .opts = report_opts,
    .opts_size = sizeof(report_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_report,
};
