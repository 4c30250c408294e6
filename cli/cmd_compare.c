/* compare: measures the similarity of profiles, and exits with status 1 when locality regresses. */
#include "cli.h"
#include "compare_rules.h"
#include "junit.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_options {
    const char *hist;
    uint32_t out;
    rd_strings fail_if;
    const char *junit;
    const char *machine;
} compare_options;

static const rd_opt compare_opts[] = {
    {.name = "fail-if",
     .arg = "RULE",
     .type = RD_OPT_STRINGS,
     .offset = offsetof(compare_options, fail_if),
     .help = "exit with status 1 if this rule holds; may be repeated"},
    {.name = "junit",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = offsetof(compare_options, junit),
     .help = "write the result of every rule to this file as JUnit XML"},
    {.name = "machine",
     .arg = "MACHINE|host|FILE",
     .type = RD_OPT_STRING,
     .offset = offsetof(compare_options, machine),
     .help = "first report which profile is better on this machine; see 'reusedist machines'"},
    OPTION_HIST(offsetof(compare_options, hist), NULL,
                "bins in which the accuracy is computed [log]"),
    OPTION_OUT(offsetof(compare_options, out),
               "text: print a report; csv, json: one entry per pair"),
    {.name = NULL},
};

/* Chooses the bins: the bins of --hist, or by default log bins. If an engine chose the bins of a
 * profile, the default is the finest bins that both profiles of a pair have. */
static rd_status choose_bins(rd_ctx *ctx, const compare_options *o, rd_profile *const *profiles,
                             int n, rd_binning *out) {
    if (o->hist)
        return rd_binning_parse(ctx, o->hist, out);
    *out = (rd_binning){RD_BINS_LOG, 0};
    for (int i = 0; i < n; i++)
        if (rd_profile_facts_of(profiles[i])->binning.kind == RD_BINS_EDGES)
            out->kind = RD_BINS_EDGES;
    return RD_OK;
}

static int print_comparison(rd_ctx *ctx, const compare_options *o, const rd_comparees *all) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = RD_OK;
    for (size_t i = 0; i < all->n && o->out == OUT_TEXT && status == RD_OK; i++)
        status = rd_profile_show_own(all->profiles[i], NULL, 0); /* for names of functions */
    if (status == RD_OK)
        status = o->out == OUT_CSV    ? rd_report_comparison_csv(ctx, all, &text, &n)
                 : o->out == OUT_JSON ? rd_report_comparison_json(ctx, all, &text, &n)
                                      : rd_report_comparison_text(ctx, all, &text, &n);
    return output_made(ctx, NULL, status, text, n);
}

/* Compares the first profile with each of the other profiles, and applies every rule to each of
 * these pairs. The verdicts of a pair are consecutive. */
static rd_status apply_rules(rd_ctx *ctx, const compare_rule *rules, size_t n_rules,
                             const rd_comparees *all, verdict *verdicts) {
    for (size_t i = 1; i < all->n; i++) {
        rd_comparison c;
        rd_profile *a = all->profiles[0], *b = all->profiles[i];
        rd_status status = rd_compare(ctx, a, b, all->binning, &c);
        if (status != RD_OK)
            return status;
        for (size_t k = 0; k < n_rules; k++)
            apply_rule(ctx, &rules[k], &c, a, b, all->names[i], verdicts++);
    }
    return RD_OK;
}

/* Prints the rules that passed, at the end of the report. */
static void print_passed(const verdict *verdicts, size_t n) {
    const char *before = "\n";
    for (size_t i = 0; i < n; i++)
        if (verdicts[i].kind == VERDICT_PASSED) {
            fputs(before, stdout);
            show("passed: %s: %s (rule %s)", verdicts[i].name, verdicts[i].why, verdicts[i].rule);
            before = "";
        }
}

/* Reports the rules that did not pass, and returns the exit status. */
static int report_failed(const verdict *verdicts, size_t n) {
    int exit_status = EXIT_OK;
    for (size_t i = 0; i < n; i++)
        if (verdicts[i].kind != VERDICT_PASSED)
            exit_status =
                fail("%s: %s (rule %s)", verdicts[i].name, verdicts[i].why, verdicts[i].rule);
    return exit_status;
}

static int check_rules(rd_ctx *ctx, const compare_options *o, const compare_rule *rules,
                       const rd_comparees *all) {
    size_t n = o->fail_if.n * (all->n - 1);
    verdict *verdicts = calloc(n, sizeof *verdicts);
    if (!verdicts)
        return fail("out of memory");
    rd_status status = apply_rules(ctx, rules, o->fail_if.n, all, verdicts);
    int exit_status = status == RD_OK ? EXIT_OK : fail_status(ctx, status);
    if (status == RD_OK) {
        if (o->out == OUT_TEXT)
            print_passed(verdicts, n);
        exit_status = report_failed(verdicts, n);
        if (o->junit && junit_write(ctx, o->junit, verdicts, n) != EXIT_OK)
            exit_status = EXIT_FAILED;
    }
    free(verdicts);
    return exit_status;
}

/* Prints which of two profiles is better on the machine of --machine. Without this option, the machine
 * is the one whose caches both profiles have simulated, if there is one. */
static int print_machine(rd_ctx *ctx, const compare_options *o, const rd_comparees *all) {
    rd_machine m;
    char *text = NULL;
    size_t n = 0;
    if (!o->machine && (all->n != 2 || o->out != OUT_TEXT))
        return EXIT_OK;
    rd_status status = o->machine ? rd_machine_find(ctx, o->machine, &m) : RD_OK;
    if (status == RD_OK)
        status = rd_report_machine_change(ctx, all, o->machine ? &m : NULL, &text, &n);
    if (!o->machine && status == RD_EINVAL)
        return EXIT_OK;
    return output_made(ctx, NULL, status, text, n);
}

static int compare_all(rd_ctx *ctx, const compare_options *o, const compare_rule *rules,
                       const rd_comparees *all) {
    int exit_status = print_machine(ctx, o, all);
    if (exit_status == EXIT_OK)
        exit_status = print_comparison(ctx, o, all);
    return exit_status == EXIT_OK && o->fail_if.n ? check_rules(ctx, o, rules, all) : exit_status;
}

/* Parses the rules and checks the other options before anything is read. Reports a failure and
 * returns the exit status. */
static int check_options(rd_ctx *ctx, const compare_options *o, compare_rule *rules, int n,
                         char **operands) {
    for (size_t i = 0; i < o->fail_if.n; i++)
        if (!parse_rule(ctx, o->fail_if.value[i], &rules[i]))
            return EXIT_USAGE;
    if (o->machine && (o->out != OUT_TEXT || n != 2))
        return fail_usage("compare: --machine needs exactly two profiles and --out=text");
    if (!o->junit)
        return EXIT_OK;
    if (o->fail_if.n == 0)
        return fail_usage(
            "compare: --junit reports the results of rules; give a rule with --fail-if");
    output_place place = {.option = "--junit", .path = o->junit};
    if (strcmp(o->junit, "-") == 0)
        return fail_usage(
            "compare: --junit needs a file, because the report is on standard output");
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    return status == EXIT_OK ? output_check(ctx, &place, 1, &o->machine, 1) : status;
}

static int run_compare(rd_ctx *ctx, void *opts, int n, char **operands) {
    const compare_options *o = opts;
    compare_rule rules[RD_STRINGS_MAX];
    rd_profile **profiles = NULL;
    int exit_status = check_options(ctx, o, rules, n, operands);
    if (exit_status == EXIT_OK)
        exit_status = read_profiles(ctx, (size_t)n, operands, &profiles);
    if (exit_status != EXIT_OK)
        return exit_status;
    rd_comparees all = {
        .profiles = profiles, .names = (const char *const *)operands, .n = (size_t)n};
    rd_status status = choose_bins(ctx, o, profiles, n, &all.binning);
    if (status == RD_OK) {
        warn_unlike(profiles, (size_t)n, operands);
        exit_status = compare_all(ctx, o, rules, &all);
    } else {
        exit_status = fail_status(ctx, status);
    }
    free_profiles(profiles, (size_t)n);
    return exit_status;
}

const command command_compare = {
    .name = "compare",
    .summary = "compare profiles, and fail when locality regresses",
    .operands = "PROFILE PROFILE...",
    .details =
        "Two profiles get a full comparison; three or more get a matrix of accuracies. Profiles\n"
        "made with --attribute also get a list of the functions whose misses change most.\n"
        "Accuracy is 1 minus half the sum of the differences over bins of the finite distances.\n"
        "\n"
        "--machine=zen4 first reports whether the second profile is better on that machine, and\n"
        "how long each program waits for data. The misses of each cache come from simulations if\n"
        "both profiles have them; otherwise they are estimated (Smith's method). The wait is a\n"
        "range: the low end assumes that misses overlap as much as the machine allows, and the\n"
        "high end that they never overlap. Without --machine, profiles that have simulated the\n"
        "caches of one machine are compared on that machine.\n"
        "\n"
        "A rule compares each profile with the first one. Rules ('<' works like '>'):\n"
        "  different             the profiles are not identical\n"
        "  accuracy<99%          the accuracy on the bins of --hist is below 99 %\n"
        "  average-error>1%      the average error on the bins 1, 2, 4 ... 2M, more is above 1 %\n"
        "  miss-ratio-error>1%   at a cache size that is a power of two, the miss ratios differ by "
        "more than 1 point\n"
        "  miss-ratio@1M>5%      the miss ratio with a cache of 1 MiB is above 5 %\n"
        "  miss-ratio@1M>+2%     the miss ratio is more than 2 points above the first profile's\n"
        "  miss-ratio@1M>1.05x   the miss ratio is more than 1.05 times the first profile's\n"
        "  byte-miss-ratio@1G>+1%  like miss-ratio, for the share of the requested bytes that "
        "miss\n"
        "  misses@1M>1.05x       the misses are more than 1.05 times the first profile's; "
        "also >1000, >+100\n"
        "  mean-distance>1.1x    the mean finite distance is more than 1.1 times the first "
        "profile's\n"
        "  blocks>1.1x           the distinct blocks are more than 1.1 times the first profile's\n"
        "  references>1.1x       the references are more than 1.1 times the first profile's\n"
        "  bound-broken          an approximate profile is outside its error bound\n"
        "A rule cannot be applied to an object cache that is smaller than the largest object.\n"
        "The exit status is 0 if no rule holds, 1 if a rule holds or cannot be applied,\n"
        "and 2 if a rule is malformed.\n",
    .opts = compare_opts,
    .opts_size = sizeof(compare_options),
    .min_operands = 2,
    .max_operands = -1,
    .run = run_compare,
};
