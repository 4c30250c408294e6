/* mrc: computes the miss ratios of caches of given sizes, from a profile or directly from a
 * trace. */
#include "caches.h"
#include "mrc_input.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"
#include "terminal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct mrc_options {
    pipeline_options pipe;
    object_options objects;
    rd_sizes sizes;
    const char *hits;
    const char *per_gb, *per_miss; /* prices; NULL: not given */
    uint64_t ways;                 /* 0: fully associative */
    uint32_t out;
    const char *output;
    bool ascii;
} mrc_options;

static const rd_opt mrc_opts[] = {
    {.name = "sizes",
     .arg = "SIZES",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = 0x1p64,
     .offset = offsetof(mrc_options, sizes),
     .help = "up to 64 cache sizes 32K,1M,... in bytes, or 1000,... objects [powers of two]"},
    {.name = "hits",
     .arg = "SHARES",
     .type = RD_OPT_STRING,
     .offset = offsetof(mrc_options, hits),
     .help = "find the smallest caches that hit 90%,95%,... of all references"},
    {.name = "cost-per-gb",
     .arg = "PRICE",
     .type = RD_OPT_STRING,
     .offset = offsetof(mrc_options, per_gb),
     .help = "with --weight=bytes: price of a GB (10^9 bytes) of cache for the time of the trace"},
    {.name = "cost-per-miss",
     .arg = "PRICE",
     .type = RD_OPT_STRING,
     .offset = offsetof(mrc_options, per_miss),
     .help = "with --cost-per-gb: price of a miss; find the cheapest cache"},
    {.name = "ways",
     .arg = "A",
     .type = RD_OPT_U64,
     .min = 1,
     .max = 0x1p60,
     .offset = offsetof(mrc_options, ways),
     .help = "estimate the misses of caches with sets of A ways"},
    OPTION_OUT(offsetof(mrc_options, out),
               "text: print a table and a chart; csv, json: only the numbers"),
    OPTION_OUTPUT(offsetof(mrc_options, output), "FILE",
                  "write the result to this file [standard output]"),
    OPTION_ASCII(offsetof(mrc_options, ascii), "draw the chart with ASCII characters only"),
#define OBJECT_FIELD(member) offsetof(mrc_options, objects.member)
#include "object_options.def"
    OPTION_MERGE(offsetof(mrc_options, pipe.merge)),
#define PIPELINE_FIELD(member) offsetof(mrc_options, pipe.member)
#define PIPELINE_HIST          "full"
#include "pipeline_options.def"
    {.name = NULL},
};

/* ---- --hits ---- */

typedef struct hit_list {
    size_t n;
    double share[RD_SIZES_MAX]; /* 0 to 1 */
} hit_list;

/* Parses a percentage of `n` characters, such as "95%", and sets *out to the share. Reports a
 * mistake and returns the exit status. */
static int parse_share(rd_ctx *ctx, const char *text, size_t n, double *out) {
    static const rd_opt percent[] = {{.name = "hits", .type = RD_OPT_DOUBLE, .max = 100}, {0}};
    char number[32];
    if (n < 2 || n > sizeof number || text[n - 1] != '%')
        return fail_usage("--hits: '%.*s' is not a percentage, such as 95%%", (int)n, text);
    memcpy(number, text, n - 1);
    number[n - 1] = '\0';
    if (rd_opts_set(ctx, "mrc", percent, out, "hits", number) != RD_OK)
        return fail_usage("%s", rd_last_error(ctx));
    *out = nearbyint(*out * 1e10) / 1e12; /* 80.1% is 0.801, not 0.80099999 */
    return EXIT_OK;
}

/* Parses percentages, such as "90%,95%". NULL means that there are none. Reports a mistake and
 * returns the exit status. */
static int parse_hits(rd_ctx *ctx, const char *text, hit_list *list) {
    while (text) {
        size_t n = strcspn(text, ",");
        if (list->n == RD_SIZES_MAX)
            return fail_usage("--hits: at most %d shares are allowed", RD_SIZES_MAX);
        int status = parse_share(ctx, text, n, &list->share[list->n++]);
        if (status != EXIT_OK)
            return status;
        text = text[n] ? text + n + 1 : NULL;
    }
    return EXIT_OK;
}

static int print_hits(rd_ctx *ctx, const mrc_options *o, const hit_list *hits,
                      rd_profile *profile) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV
                           ? rd_report_hits_csv(profile, hits->share, hits->n, &text, &n)
                       : o->out == OUT_JSON
                           ? rd_report_hits_json(profile, hits->share, hits->n, &text, &n)
                           : rd_report_hits_text(profile, &style, hits->share, hits->n, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

/* ---- --cost-per-gb and --cost-per-miss ---- */

#define PRICE_MAX 1e15

/* Parses the prices, and sets *wanted to whether the user gave any. Reports a mistake and returns the exit
 * status. */
static int parse_prices(rd_ctx *ctx, const mrc_options *o, rd_object_prices *out, bool *wanted) {
    static const rd_opt rows[] = {{.name = "cost-per-gb",
                                   .type = RD_OPT_DOUBLE,
                                   .max = PRICE_MAX,
                                   .offset = offsetof(rd_object_prices, per_gb)},
                                  {.name = "cost-per-miss",
                                   .type = RD_OPT_DOUBLE,
                                   .max = PRICE_MAX,
                                   .offset = offsetof(rd_object_prices, per_miss)},
                                  {0}};
    *wanted = o->per_gb || o->per_miss;
    *out = (rd_object_prices){.size = sizeof *out};
    if (!*wanted)
        return EXIT_OK;
    if (!o->per_gb || !o->per_miss)
        return fail_usage("mrc: --cost-per-gb and --cost-per-miss must be given together");
    if (o->hits || o->ways || o->objects.every)
        return fail_usage("mrc: --cost-per-gb cannot be combined with --hits, --ways or --every; "
                          "omit these options");
    if (rd_opts_set(ctx, "mrc", rows, out, "cost-per-gb", o->per_gb) != RD_OK ||
        rd_opts_set(ctx, "mrc", rows, out, "cost-per-miss", o->per_miss) != RD_OK)
        return fail_usage("%s", rd_last_error(ctx));
    if (out->per_gb == 0 && out->per_miss == 0)
        return fail_usage("mrc: --cost-per-gb and --cost-per-miss are both 0, so all caches "
                          "cost the same; give at least one price above 0");
    return EXIT_OK;
}

static int print_cost(rd_ctx *ctx, const mrc_options *o, const rd_object_prices *prices,
                      rd_profile *p) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    const uint64_t *sizes = o->sizes.n ? o->sizes.value : NULL;
    char *text = NULL;
    size_t n = 0;
    rd_status status =
        o->out == OUT_CSV    ? rd_report_cost_csv(p, prices, sizes, o->sizes.n, &text, &n)
        : o->out == OUT_JSON ? rd_report_cost_json(p, prices, sizes, o->sizes.n, &text, &n)
                             : rd_report_cost_text(p, &style, prices, sizes, o->sizes.n, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

/* ---- the result ---- */

static int print_ways(rd_ctx *ctx, const mrc_options *o, rd_profile *p, const uint64_t *blocks) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0, sizes = o->sizes.n;
    rd_status status = o->out == OUT_CSV ? rd_report_ways_csv(p, o->ways, blocks, sizes, &text, &n)
                       : o->out == OUT_JSON
                           ? rd_report_ways_json(p, o->ways, blocks, sizes, &text, &n)
                           : rd_report_ways_text(p, &style, o->ways, blocks, sizes, &text, &n);
    if (status == RD_OK && o->out != OUT_TEXT && o->ways == 1 && !o->pipe.quiet)
        tell_user("%s", RD_WAYS_WARNING);
    return output_made(ctx, o->output, status, text, n);
}

static int print_result(rd_ctx *ctx, const mrc_options *o, rd_profile *profile) {
    uint64_t room[RD_SIZES_MAX];
    int converted = caches_in_blocks("--sizes", &o->sizes, profile, room);
    if (converted != EXIT_OK)
        return converted;
    const uint64_t *blocks = o->sizes.n ? room : NULL;
    if (o->ways && rd_profile_objects(profile))
        return fail_usage("mrc: --ways is for blocks of memory, not for bytes of objects; omit it");
    if (o->ways)
        return print_ways(ctx, o, profile, blocks);
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status =
        o->out == OUT_CSV && o->objects.every
            ? rd_report_stretches_csv(profile, blocks, o->sizes.n, &text, &n)
        : o->out == OUT_CSV  ? rd_report_mrc_csv(profile, blocks, o->sizes.n, &text, &n)
        : o->out == OUT_JSON ? rd_report_mrc_json(profile, blocks, o->sizes.n, &text, &n)
                             : rd_report_mrc_text(profile, &style, blocks, o->sizes.n, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

/* Tells the user why a result in CSV or JSON has no hits or misses. A result in text contains the
 * reason. */
static void tell_of_no_requests(const mrc_options *o, const rd_profile *p) {
    const rd_objects_facts *f = rd_profile_objects(p);
    if (f && f->counted.requests == 0 && o->out != OUT_TEXT && !o->pipe.quiet)
        tell_user("no requests were counted, so there are no hits or misses; check --warmup and "
                  "--count");
}

static int run_mrc(rd_ctx *ctx, void *opts, int n, char **operands) {
    const mrc_options *o = opts;
    hit_list hits = {0};
    if (o->hits && o->sizes.n)
        return fail_usage("mrc: --sizes and --hits cannot be combined; give only one of them");
    if (o->hits && o->ways)
        return fail_usage("mrc: --hits and --ways cannot be combined; give only one of them");
    if (o->hits && o->objects.every)
        return fail_usage(
            "mrc: --hits and --every cannot be combined, because the bins of a stretch of time "
            "are too wide to find a size; give --sizes instead of --hits");
    rd_object_prices prices;
    bool costs;
    int status = parse_hits(ctx, o->hits, &hits);
    if (status == EXIT_OK)
        status = parse_prices(ctx, o, &prices, &costs);
    if (status == EXIT_OK)
        status = objects_check(&o->objects);
    if (status != EXIT_OK)
        return status;
    output_place place = {.option = "-o", .path = o->output};
    status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    mrc_input in = {.command = "mrc",
                    .pipe = &o->pipe,
                    .objects = &o->objects,
                    .hist = PIPELINE_HIST,
                    .for_bytes = costs ? "--cost-per-gb and --cost-per-miss" : NULL,
                    .sizes = &o->sizes};
    status = mrc_read(ctx, &in, n, operands, &profile);
    if (profile) {
        tell_of_no_requests(o, profile);
        if (!o->pipe.quiet && (o->out == OUT_CSV || (hits.n && o->out == OUT_TEXT)))
            tell_estimate(profile);
        int printed = hits.n  ? print_hits(ctx, o, &hits, profile)
                      : costs ? print_cost(ctx, o, &prices, profile)
                              : print_result(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    return status;
}

const command command_mrc = {
    .name = "mrc",
    .summary = "compute the miss ratios of caches of given sizes",
    .operands = "PROFILE|TRACE...",
    .details =
        "Caches are fully associative and evict the least recently used block. Several traces\n"
        "are analyzed as one trace. For a profile, give only --sizes, --hits, --ways, --every,\n"
        "--cost-per-gb, --cost-per-miss, --out, -o, --ascii and -q; --weight may be omitted,\n"
        "because a profile states whether it counts bytes. A value with '~' is interpolated\n"
        "inside a bin of the histogram. If the distances come from a sample (engine shards), the\n"
        "result has a band that contains the exact miss ratio with 95 % confidence: in CSV, the\n"
        "columns 'low' and 'high'; in JSON, fields of the points. For bytes of objects there are\n"
        "also 'byte_low' and 'byte_high'.\n"
        "\n"
        "Sizes are in bytes. For object ids and with -b addr, blocks have no size in bytes: a\n"
        "size is then a number of objects, without a unit. --weight=bytes takes the sizes of the\n"
        "objects from the trace instead and prints two ratios: of requests and of bytes. It takes\n"
        "into account the operations (reads, writes, deletes) and lifetimes of the trace. Cache\n"
        "sizes below the size of the largest object are marked: their miss ratios depend on how\n"
        "a cache treats an object that does not fit. docs/object-caches.md has the details.\n"
        "\n"
        "--every=1h also reports the requests of every hour, from one pass in which the caches\n"
        "stay warm. The text has a table of the hours, and JSON has the key 'stretches'. CSV has\n"
        "one row per stretch and size, with the columns from, to, requests, requested_bytes,\n"
        "cold, bytes, miss_ratio and byte_miss_ratio; times are in seconds. Hours without\n"
        "requests have no row.\n"
        "\n"
        "--hits=95% finds the smallest cache that hits 95 % of all references. If first touches\n"
        "make this impossible, it finds the best possible hit ratio. In CSV, 'requested' is the\n"
        "requested share, and 'hits' is the same share or, if no cache reaches it, the best\n"
        "possible one. For a sample, the result has the range that contains the exact size with\n"
        "95 % confidence: in CSV, the columns 'low_blocks' and 'high_blocks'; in JSON, fields.\n"
        "The low end is empty if the sample does not resolve it, and the high end is empty if no\n"
        "size is certain to reach the share.\n"
        "\n"
        "--cost-per-gb=X and --cost-per-miss=Y find the cheapest cache of objects: X is the price\n"
        "of 10^9 bytes of memory for the time that the trace covers (the price per GB and hour\n"
        "times the hours of the trace, or the price per GB and month times its months), and Y is\n"
        "the price of a miss of a counted request. The table shows the costs around that size,\n"
        "or at --sizes. The columns of CSV are bytes, miss_ratio, memory_cost, miss_cost,\n"
        "total_cost and cheapest.\n"
        "\n"
        "--ways=8 estimates the misses of caches whose sets have 8 ways from the same distances\n"
        "(Smith 1978): a reference misses with the probability that at least 8 of the blocks that\n"
        "its distance counts map to its set, if blocks map to sets at random. Sizes must be\n"
        "multiples of the ways. In tests of large direct-mapped caches, this estimate was further\n"
        "from the exact misses than the number for a fully associative cache.\n",
    .opts = mrc_opts,
    .opts_size = sizeof(mrc_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_mrc,
};
