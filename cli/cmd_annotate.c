/* annotate: prints source files with the references and misses of each line. */
#include "cli.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"
#include "terminal.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

typedef struct annotate_options {
    const char *output, *cache;
    double threshold; /* in percent */
    uint64_t context;
    uint32_t color; /* a progress_when */
    bool whole, ascii;
    rd_strings own;
} annotate_options;

static const rd_opt annotate_opts[] = {
    {.name = "cache",
     .arg = "NAME|references",
     .type = RD_OPT_STRING,
     .offset = offsetof(annotate_options, cache),
     .help = "sort by the misses of this cache, and show shares of them [the first cache]"},
    {.name = "threshold",
     .arg = "PERCENT",
     .type = RD_OPT_DOUBLE,
     .def = "0.5",
     .max = 100,
     .offset = offsetof(annotate_options, threshold),
     .help = "leave out files and lines with a share below PERCENT"},
    {.name = "context",
     .arg = "LINES",
     .type = RD_OPT_U64,
     .def = "3",
     .max = 1000000,
     .offset = offsetof(annotate_options, context),
     .help = "show LINES lines before and after each hot line"},
    {.name = "whole",
     .type = RD_OPT_BOOL,
     .offset = offsetof(annotate_options, whole),
     .help = "show whole files"},
    OPTION_OWN(offsetof(annotate_options, own)),
    OPTION_COLOR(offsetof(annotate_options, color)),
    OPTION_ASCII(offsetof(annotate_options, ascii), "use only ASCII characters"),
    OPTION_OUTPUT(offsetof(annotate_options, output), "FILE",
                  "write the listing to this file [standard output]"),
    {.name = NULL},
};

static int annotate(rd_ctx *ctx, const annotate_options *o, int n, char **operands,
                    rd_profile *profile) {
    struct stat facts;
    char *text = NULL;
    size_t length = 0;
    rd_report_style style = terminal_style(o->output, o->ascii);
    if (o->color != PROGRESS_AUTO)
        style.color = o->color == PROGRESS_ALWAYS;
    rd_annotation config = {.size = sizeof config,
                            .sources = (const char *const *)operands + 1,
                            .n_sources = (size_t)n - 1,
                            .cache = o->cache,
                            .threshold = o->threshold / 100,
                            .context = o->context,
                            .whole = o->whole};
    if (strcmp(operands[0], "-") != 0 && stat(operands[0], &facts) == 0)
        config.written = (int64_t)facts.st_mtime;
    rd_status status = show_own(profile, &o->own);
    if (status == RD_OK)
        status = rd_report_annotate(profile, &config, &style, &text, &length);
    return output_made(ctx, o->output, status, text, length);
}

static int run_annotate(rd_ctx *ctx, void *opts, int n, char **operands) {
    const annotate_options *o = opts;
    rd_profile *profile = NULL;
    output_place place = {.option = "-o", .path = o->output};
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status == EXIT_OK) /* --own may name files, too */
        status = output_check(ctx, &place, 1, o->own.value, o->own.n);
    if (status == EXIT_OK)
        status = read_profile(ctx, operands[0], &profile);
    if (status == EXIT_OK)
        status = output_check_sources(&place, profile);
    if (status == EXIT_OK)
        status = annotate(ctx, o, n, operands, profile);
    rd_profile_free(profile);
    return status;
}

const command command_annotate = {
    .name = "annotate",
    .summary = "show source files with the references and misses of each line",
    .operands = "PROFILE [SOURCE...]",
    .details =
        "The profile must have been made with --attribute. Without SOURCE, the listing shows the\n"
        "hot lines of all files of your own code; library code counts for the line of your code\n"
        "that it was inlined into or called from. SOURCE is the path of a file, or the end of its "
        "path.\n"
        "If the file has changed since the run, the listing shows the lines that the profile "
        "keeps;\n"
        "SOURCE may then be a copy of the old file with any name.\n"
        "\n"
        "  reusedist run --attribute --out=json -o profile.json -- ./program\n"
        "  reusedist annotate --cache=L2 profile.json parser.cpp\n"
        "\n"
        "The sums at the end equal the totals of the profile. A note marks files that cannot be\n"
        "read or have changed.\n",
    .opts = annotate_opts,
    .opts_size = sizeof(annotate_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_annotate,
};
