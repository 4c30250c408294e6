/* report: makes an HTML page from profiles, or exports one profile for another tool. */
#include "cli.h"
#include "option_rows.h"
#include "output_file.h"
#include "page_file.h"
#include "profile_files.h"

#include <stddef.h>
#include <stdlib.h>

enum { TO_HTML, TO_CALLGRIND, TO_PPROF, TO_SPEEDSCOPE, TO_PERFETTO, TO_CSV, TO_SVG };
#define TO_CHOICES "html|callgrind|pprof|speedscope|perfetto|csv|svg"

typedef struct report_options {
    const char *output;
    const char *caches;
    rd_strings machines;
    bool no_source;
    uint32_t to;
    const char *cache;
    rd_strings own;
} report_options;

static const rd_opt report_opts[] = {
    OPTION_OUTPUT(offsetof(report_options, output), "FILE",
                  "write the result to this file [standard output]"),
    {.name = "to",
     .arg = "FORMAT",
     .type = RD_OPT_CHOICE,
     .choices = TO_CHOICES,
     .def = "html",
     .offset = offsetof(report_options, to),
     .help = "html: make a page; any other format: export the profile for another tool"},
    {.name = "cache",
     .arg = "NAME|references",
     .type = RD_OPT_STRING,
     .offset = offsetof(report_options, cache),
     .help = "with --to: the cache whose misses are shown first [the first cache]"},
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
    {.name = "no-source",
     .type = RD_OPT_BOOL,
     .offset = offsetof(report_options, no_source),
     .help = "leave whole source files out of the page"},
    OPTION_OWN(offsetof(report_options, own)),
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

/* Writes one profile in the format of another tool. */
static int export(rd_ctx *ctx, const report_options *o, rd_profile *profile) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->to == TO_CSV ? show_own(profile, &o->own) : RD_OK;
    if (status == RD_OK)
        status = rd_report_export(profile, rd_exporter_name(o->to - 1), o->cache, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

/* Reads the only profile and exports it. */
static int run_export(rd_ctx *ctx, const report_options *o, int n, char **operands) {
    rd_profile *profile = NULL;
    if (n != 1)
        return fail_usage("report: --to=%s takes one profile; export the profiles one by one",
                          rd_exporter_name(o->to - 1));
    if (o->caches || o->machines.n || o->no_source)
        return fail_usage(
            "report: --caches, --machine and --no-source apply only to pages; omit them with --to");
    output_place place = {.option = "-o", .path = o->output};
    int status = read_profile(ctx, operands[0], &profile);
    if (status == EXIT_OK)
        status = output_check_sources(&place, profile);
    if (status == EXIT_OK)
        status = export(ctx, o, profile);
    rd_profile_free(profile);
    return status;
}

static int run_report(rd_ctx *ctx, void *opts, int n, char **operands) {
    const report_options *o = opts;
    output_place place = {.option = "-o", .path = o->output};
    cache_list caches = {0};
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status == EXIT_OK) /* --machine and --own may name files */
        status = output_check(ctx, &place, 1, o->machines.value, o->machines.n);
    if (status == EXIT_OK)
        status = output_check(ctx, &place, 1, o->own.value, o->own.n);
    if (status == EXIT_OK && o->to != TO_HTML)
        return run_export(ctx, o, n, operands);
    if (status == EXIT_OK && o->cache)
        status = fail_usage("report: --cache needs --to; a page shows all caches");
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
    for (size_t i = 0; status == EXIT_OK && i < (size_t)n; i++)
        status = output_check_sources(&place, profiles[i]);
    for (size_t i = 0; status == EXIT_OK && i < (size_t)n; i++) {
        rd_status shown = show_own(profiles[i], &o->own);
        status = shown == RD_OK ? EXIT_OK : fail_status(ctx, shown);
    }
    if (status == EXIT_OK) {
        rd_page page = {.size = sizeof page,
                        .profiles = profiles,
                        .names = (const char *const *)operands,
                        .n = (size_t)n,
                        .machines = machines,
                        .n_machines = o->machines.n,
                        .source_text = !o->no_source};
        status = page_write(ctx, &page, o->caches ? &caches : NULL, o->output);
    }
    if (status == EXIT_OK)
        warn_unlike(profiles, (size_t)n, operands);
    free_profiles(profiles, (size_t)n);
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
        "bytes, the gain from more memory, sizes and popularity of the objects, and live bytes.\n"
        "\n"
        "  reusedist report before.json after.json -o report.html\n"
        "\n"
        "--to writes one profile for other tools: callgrind for callgrind_annotate and "
        "KCachegrind,\n"
        "pprof for `go tool pprof`, speedscope for speedscope.app, perfetto for ui.perfetto.dev,\n"
        "csv for spreadsheets, svg for a flame graph as an image. The sums equal the totals of "
        "the\n"
        "profile.\n"
        "\n"
        "  reusedist report --to=callgrind profile.json -o callgrind.out\n"
        "\n"
        "With --machine=zen4, or --caches with ways, the page also shows the caches of machines:\n"
        "Smith's estimate of the traffic between them, and the functions and lines that wait\n"
        "longest for data, with ranges of their waits. If there are several machines, the page\n"
        "has a switch that selects one.\n"
        "\n"
        "The page contains the text of the source files with the most misses, unless they have\n"
        "changed since the analysis. --no-source leaves them out, for example because others will\n"
        "see the page.\n",
    .opts = report_opts,
    .opts_size = sizeof(report_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_report,
};
