/* similarity: measures how similar the histograms of programs are in log bins, within each program and
 * between programs. */
#include "cli.h"
#include "profile_files.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_TEXT, OUT_CSV };

typedef struct similarity_options {
    uint32_t out;
} similarity_options;

static const rd_opt similarity_opts[] = {
    {.name = "out",
     .arg = "AS",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(similarity_options, out),
     .choices = "text|csv",
     .def = "text",
     .help = "text: print a matrix; csv: one row per pair of programs"},
    {.name = NULL},
};

/* The profiles and their programs. */
typedef struct programs {
    char **paths;      /* paths of the profiles, without the names of the programs */
    const char **name; /* name of the program of each profile */
    size_t n;
    rd_profile **profiles;
} programs;

/* Average and smallest accuracy of two programs, over all pairs of a profile of one program and a
 * profile of the other. For a program and itself, the pairs are all pairs of different profiles of
 * the program. Without pairs, `mean` and `least` are 1. */
typedef struct similarity {
    double mean, least;
    size_t pairs;
} similarity;

static rd_status compare_programs(rd_ctx *ctx, const programs *p, const char *a, const char *b,
                                  similarity *out) {
    *out = (similarity){.least = 1};
    bool same = strcmp(a, b) == 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = same ? i + 1 : 0; k < p->n; k++) {
            rd_comparison c;
            if (strcmp(p->name[i], a) != 0 || strcmp(p->name[k], b) != 0)
                continue;
            rd_status status =
                rd_compare(ctx, p->profiles[i], p->profiles[k], (rd_binning){RD_BINS_LOG, 0}, &c);
            if (status != RD_OK)
                return status;
            out->mean += c.accuracy;
            out->least = fmin(out->least, c.accuracy);
            out->pairs++;
        }
    out->mean = out->pairs ? out->mean / (double)out->pairs : 1;
    return RD_OK;
}

/* Returns whether profile i is the first one of its program. */
static bool is_first(const programs *p, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (strcmp(p->name[k], p->name[i]) == 0)
            return false;
    return true;
}

static void print_cell(const similarity_options *o, const char *a, const char *b,
                       const similarity *v) {
    if (o->out == OUT_CSV) {
        print_csv_field(stdout, a);
        putchar(',');
        print_csv_field(stdout, b);
        printf(",%.6f,%.6f,%zu\n", v->mean, v->least, v->pairs);
    } else if (v->pairs)
        printf(" %12.2f %%", 100 * v->mean);
    else
        printf(" %14s", "one run only");
}

static rd_status print_row(rd_ctx *ctx, const similarity_options *o, const programs *p, size_t i) {
    if (o->out == OUT_TEXT)
        print_name(stdout, 16, 16, p->name[i]);
    for (size_t k = 0; k < p->n; k++) {
        similarity v;
        if (!is_first(p, k) || (o->out == OUT_CSV && k < i))
            continue;
        rd_status status = compare_programs(ctx, p, p->name[i], p->name[k], &v);
        if (status != RD_OK)
            return status;
        print_cell(o, p->name[i], p->name[k], &v);
    }
    if (o->out == OUT_TEXT)
        putchar('\n');
    return RD_OK;
}

static rd_status print_all(rd_ctx *ctx, const similarity_options *o, const programs *p) {
    if (o->out == OUT_CSV)
        puts("first,second,mean,least,pairs");
    else
        printf("accuracy of the histograms in log bins (diagonal: between runs of the program)\n"
               "%-16s",
               "");
    for (size_t k = 0; k < p->n && o->out == OUT_TEXT; k++)
        if (is_first(p, k)) {
            putchar(' ');
            print_name(stdout, -14, 14, p->name[k]);
        }
    if (o->out == OUT_TEXT)
        putchar('\n');
    for (size_t i = 0; i < p->n; i++)
        if (is_first(p, i)) {
            rd_status status = print_row(ctx, o, p, i);
            if (status != RD_OK)
                return status;
        }
    return RD_OK;
}

/* Splits "PROGRAM=PROFILE". A path without a program name counts as a program of its own. */
static void split_operand(char *operand, char **path, const char **name) {
    char *equal = strchr(operand, '=');
    *name = operand;
    *path = equal ? equal + 1 : operand;
    if (equal)
        *equal = '\0';
}

static int run_similarity(rd_ctx *ctx, void *opts, int n, char **operands) {
    programs p = {.n = (size_t)n};
    int status = EXIT_OK;
    p.paths = calloc(p.n, sizeof *p.paths);
    p.name = calloc(p.n, sizeof *p.name);
    if (!p.paths || !p.name)
        status = fail("out of memory");
    for (size_t i = 0; i < p.n && status == EXIT_OK; i++)
        split_operand(operands[i], &p.paths[i], &p.name[i]);
    if (status == EXIT_OK)
        status = read_profiles(ctx, p.n, p.paths, &p.profiles);
    if (status == EXIT_OK) {
        warn_unlike(p.profiles, p.n, p.paths);
        rd_status comparing = print_all(ctx, opts, &p);
        status = comparing == RD_OK ? EXIT_OK : fail_status(ctx, comparing);
        free_profiles(p.profiles, p.n);
    }
    free(p.paths);
    free(p.name);
    return status;
}

const command command_similarity = {
    .name = "similarity",
    .summary = "measure how similar the histograms of programs are",
    .operands = "[PROGRAM=]PROFILE...",
    .details =
        "The similarity of two profiles is the accuracy of 'compare': it is 100 % if every log\n"
        "bin has the same share of the finite distances in both. Profiles of the same PROGRAM\n"
        "share a row and a column, which show their average.\n"
        "\n"
        "  reusedist similarity gcc=a.json gcc=b.json latex=c.json latex=d.json\n",
    .opts = similarity_opts,
    .opts_size = sizeof(similarity_options),
    .min_operands = 2,
    .max_operands = -1,
    .run = run_similarity,
};
