/* corun: estimates the misses of programs that share a cache, from their profiles. */
#include "caches.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"
#include "terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct corun_options {
    rd_sizes sizes;
    const char *rate;
    uint64_t among, ways;
    uint32_t out;
    const char *output;
    bool ascii;
} corun_options;

static const rd_opt corun_opts[] = {
    {.name = "sizes",
     .arg = "SIZES",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = 0x1p64,
     .offset = offsetof(corun_options, sizes),
     .help = "cache sizes 1M,32M,... in bytes, or 1000,... objects [32M]"},
    {.name = "rate",
     .arg = "RATES",
     .type = RD_OPT_STRING,
     .offset = offsetof(corun_options, rate),
     .help =
         "references per unit of time of each program, 1,2.5,... [their numbers of references]"},
    {.name = "among",
     .arg = "N",
     .type = RD_OPT_U64,
     .min = 1,
     .max = 256,
     .offset = offsetof(corun_options, among),
     .help = "find the best assignment of the programs to N caches of each size"},
    {.name = "ways",
     .arg = "N",
     .type = RD_OPT_U64,
     .min = 1,
     .max = 4096,
     .offset = offsetof(corun_options, ways),
     .help = "find the best division of the N ways of a cache among the programs"},
    OPTION_OUT(offsetof(corun_options, out), "text: print tables; csv, json: only the numbers"),
    OPTION_OUTPUT(offsetof(corun_options, output), "FILE",
                  "write the result to this file [standard output]"),
    OPTION_ASCII(offsetof(corun_options, ascii), "use ASCII characters only"),
    {.name = NULL},
};

/* The programs of the command line. */
typedef struct corunners {
    size_t n;
    char *paths[RD_CORUN_MAX];
    const char *names[RD_CORUN_MAX];
    double rates[RD_CORUN_MAX];
    rd_profile **profiles;
} corunners;

/* Splits the operands "PROGRAM=PROFILE". Without PROGRAM, the path of the profile is the name of
 * the program. */
static void split_operands(char **operands, corunners *all) {
    for (size_t i = 0; i < all->n; i++) {
        char *equal = strchr(operands[i], '=');
        all->names[i] = operands[i];
        all->paths[i] = equal ? equal + 1 : operands[i];
        if (equal)
            *equal = '\0';
    }
}

/* Parses one rate of `n` characters. Reports a mistake and returns the exit status. */
static int parse_rate(rd_ctx *ctx, const char *text, size_t n, double *out) {
    static const rd_opt rate[] = {
        {.name = "rate", .type = RD_OPT_DOUBLE, .min = 1e-30, .max = 1e30}, {0}};
    char number[32];
    if (n == 0 || n >= sizeof number)
        return fail_usage("--rate: '%.*s' is not a number, such as 2.5", (int)n, text);
    memcpy(number, text, n);
    number[n] = '\0';
    if (rd_opts_set(ctx, "corun", rate, out, "rate", number) != RD_OK)
        return fail_usage("%s", rd_last_error(ctx));
    return EXIT_OK;
}

/* Parses the rates, such as "1,2.5": one for each program. Reports a mistake and returns the exit
 * status. */
static int parse_rates(rd_ctx *ctx, const char *text, corunners *all) {
    size_t found = 0;
    for (const char *next = text; next; found++) {
        size_t n = strcspn(next, ",");
        if (found < all->n) {
            int status = parse_rate(ctx, next, n, &all->rates[found]);
            if (status != EXIT_OK)
                return status;
        }
        next = next[n] ? next + n + 1 : NULL;
    }
    if (text && found != all->n)
        return fail_usage(
            "--rate: the number of rates is %zu, but the number of programs is %zu; give "
            "one rate for each program, in the order of the profiles",
            found, all->n);
    return EXIT_OK;
}

/* Warns about profiles that are estimates. Unless `o` has rates, also warns about profiles that
 * lack references of the run, because the number of references is then the rate of the program. */
static void warn_estimates(const corun_options *o, const corunners *all) {
    for (size_t i = 0; i < all->n; i++) {
        const rd_profile_facts *f = rd_profile_facts_of(all->profiles[i]);
        const char *why = f->skipped == RD_UNKNOWN ? "the recorder skipped references"
                          : f->partial             ? "the trace is incomplete"
                                                   : NULL;
        if (why && !o->rate)
            tell_user("warning: %s: %s, so the rate of this program is too low; give rates with "
                      "--rate",
                      all->paths[i], why);
        if (!f->exact || f->skipped)
            tell_user("%s: this profile is an estimate, so the result is one, too", all->paths[i]);
    }
}

static int print_corun(rd_ctx *ctx, const corun_options *o, const corunners *all) {
    uint64_t blocks[RD_SIZES_MAX];
    rd_sizes sizes = o->sizes;
    if (sizes.n == 0 && rd_profile_facts_of(all->profiles[0])->block_bytes == 0)
        return fail_usage("corun: give --sizes; the blocks of these profiles are addresses or "
                          "objects without a size");
    if (sizes.n == 0)
        sizes = (rd_sizes){.n = 1, .value = {UINT64_C(32) << 20}};
    int converted = caches_in_blocks("--sizes", &sizes, all->profiles[0], blocks);
    if (converted != EXIT_OK)
        return converted;
    rd_corun_request request = {.size = sizeof request,
                                .profiles = all->profiles,
                                .names = all->names,
                                .rates = o->rate ? all->rates : NULL,
                                .n = all->n,
                                .blocks = blocks,
                                .n_blocks = sizes.n,
                                .caches = (size_t)o->among,
                                .ways = (size_t)o->ways};
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV ? rd_report_corun_csv(ctx, &request, &text, &n)
                       : o->out == OUT_JSON
                           ? rd_report_corun_json(ctx, &request, &text, &n)
                           : rd_report_corun_text(ctx, &request, &style, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

static int run_corun(rd_ctx *ctx, void *opts, int n, char **operands) {
    const corun_options *o = opts;
    corunners all = {.n = (size_t)n};
    if (o->among && o->ways)
        return fail_usage("corun: --among and --ways cannot be combined; give only one of them");
    split_operands(operands, &all);
    int status = parse_rates(ctx, o->rate, &all);
    if (status != EXIT_OK)
        return status;
    output_place place = {.option = "-o", .path = o->output};
    status = output_check(ctx, &place, 1, (const char *const *)all.paths, all.n);
    if (status == EXIT_OK)
        status = read_profiles(ctx, all.n, all.paths, &all.profiles);
    if (status != EXIT_OK)
        return status;
    warn_unlike_references(all.profiles, all.n, all.paths);
    warn_estimates(o, &all);
    status = print_corun(ctx, o, &all);
    free_profiles(all.profiles, all.n);
    return status;
}

const command command_corun = {
    .name = "corun",
    .summary = "estimate the misses of programs that share a cache",
    .operands = "[PROGRAM=]PROFILE...",
    .details =
        "Each program runs alone when its profile is made. From these profiles, corun computes "
        "how\n"
        "much of a shared cache each program occupies, and how often it then misses. corun\n"
        "assumes that the programs share no data. They run equally long, unless --rate gives\n"
        "their references per unit of time.\n"
        "\n"
        "--among=2 assigns the programs to two caches of each size, with the fewest misses; no\n"
        "cache gets more programs than an equal division requires. --ways=16 divides the 16 ways\n"
        "of the cache, as processors with cache allocation can, and compares the best division\n"
        "with free sharing. docs/corun.md explains the method and how accurate it is.\n"
        "\n"
        "  reusedist run --out=json -o a.json -- PROGRAM ...\n"
        "  reusedist corun --sizes=1M,32M a.json b.json\n"
        "  reusedist corun --sizes=32M --among=2 a.json b.json c.json d.json\n"
        "\n"
        "CSV columns: program, bytes (of the cache), miss_ratio (in the shared cache), alone\n"
        "(miss ratio if the program has the cache to itself), blocks (of the cache),\n"
        "occupied_blocks (by the program), rate (share of all references); with --among, cache\n"
        "(its number); with --ways, ways (of the program) and partitioned (miss ratio in these\n"
        "ways).\n",
    .opts = corun_opts,
    .opts_size = sizeof(corun_options),
    .min_operands = 1,
    .max_operands = RD_CORUN_MAX,
    .run = run_corun,
};
