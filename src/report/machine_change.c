/* Says with which of two profiles a machine waits longer, and compares their misses per cache. */
#include "reusedist/report.h"
#include "reusedist/sharing.h"

#include "report/change.h"
#include "report/paper.h"
#include "report/report_machine.h"
#include "report/waits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SAME          0.0005 /* smaller relative differences count as none */
#define NAME_COLUMNS  16
#define SIZE_COLUMNS  11
#define WAYS_COLUMNS  6
#define COUNT_COLUMNS 14
#define BAND_COLUMNS  20

/* Two profiles on one machine. */
typedef struct machine_change {
    const rd_machine *machine;
    char names[2][RDI_CHANGE_NAME];
    double weight[2]; /* factor of the miss ratios: the number of references, or 1 if a recorder
                         skipped references, so that their number is unknown */
    bool counted;     /* true: the weights are numbers of references */
    bool timed;       /* true: the cost of the misses is known */
    bool estimated;   /* true: the misses are estimated from distances; false: simulated */
    bool stacks;      /* true: at least one of the profiles has private stacks */
    bool
        sampled; /* true: at least one of the profiles is a sample, so that its misses have a band */
    rd_machine_misses found[2];
    double low[2][RD_CACHES_MAX]; /* lower ends of the bands of found[i].estimate, or equal to it */
    double high[2][RD_CACHES_MAX]; /* upper ends */
    rd_cycles band[2];             /* the waits at both ends of the bands if misses never overlap */
    rd_cycles cycles[2]; /* number of cycles that weight[i] references of profile i wait */
} machine_change;

/* Stores the simulated misses of a profile as miss ratios, in the place of estimates. */
static void take_simulated(const rd_profile *p, const rd_machine *m, rd_machine_misses *out) {
    double references = (double)rd_profile_facts_of(p)->references;
    *out = (rd_machine_misses){0};
    rdi_misses_simulated(p, m, out->estimate);
    out->cycles_known = rdi_waits_simulated(p, m, &out->cycles);
    for (size_t i = 0; i < m->caches.n && references > 0; i++)
        out->estimate[i] /= references;
}

static double within_0_and_1(double share) {
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Finds the bands of the estimated misses of profile i. An estimate for a cache with sets is assumed to be
 * off by as much as the miss ratio of a fully associative cache. A band that is unknown is 0 to 1. */
static void find_bands(rd_ctx *ctx, const rd_profile *p, machine_change *c, int i) {
    const rd_machine *m = c->machine;
    bool sampled = c->estimated && rd_mrc_has_band(p);
    c->sampled = c->sampled || sampled;
    for (size_t k = 0; k < m->caches.n; k++) {
        double estimate = c->found[i].estimate[k], full = c->found[i].full[k], low = 0, high = 1;
        c->low[i][k] = c->high[i][k] = estimate;
        if (!sampled || isnan(estimate))
            continue;
        uint64_t blocks = rd_cache_blocks(&m->caches.cache[k], m->line_bytes);
        bool known = rd_mrc_band(ctx, p, blocks, &low, &high) == RD_OK;
        c->low[i][k] = known ? within_0_and_1(estimate + low - full) : 0;
        c->high[i][k] = known ? within_0_and_1(estimate + high - full) : 1;
    }
}

/* Returns the cycles that the misses of profile i cost if they never overlap, or 0 if that is unknown. */
static double find_cost(const machine_change *c, const double *miss_ratios, int i) {
    double misses[RD_CACHES_MAX];
    rd_cycles cycles = {0};
    for (size_t k = 0; k < c->machine->caches.n; k++)
        misses[k] = miss_ratios[k] * c->weight[i];
    return rd_machine_cycles(c->machine, misses, &cycles) ? cycles.high : 0;
}

static rd_status look(rd_ctx *ctx, rd_profile *const profiles[2], machine_change *c) {
    bool simulated = rdi_machine_is_simulated(profiles[0], c->machine) &&
                     rdi_machine_is_simulated(profiles[1], c->machine);
    c->counted = c->timed = true;
    c->estimated = !simulated;
    for (int i = 0; i < 2; i++) {
        if (simulated)
            take_simulated(profiles[i], c->machine, &c->found[i]);
        else
            RD_TRY(rd_machine_misses_of(ctx, profiles[i], c->machine, &c->found[i]));
        c->counted = c->counted && !rd_profile_facts_of(profiles[i])->skipped;
        c->timed = c->timed && c->found[i].cycles_known;
        c->stacks = c->stacks || rd_profile_private(profiles[i]);
        find_bands(ctx, profiles[i], c, i);
    }
    for (int i = 0; i < 2; i++) {
        double references = (double)rd_profile_facts_of(profiles[i])->references;
        double part = c->counted || references == 0 ? 1 : 1 / references;
        c->weight[i] = c->counted ? references : 1;
        c->cycles[i] = (rd_cycles){c->found[i].cycles.low * part, c->found[i].cycles.high * part};
        c->band[i] = (rd_cycles){find_cost(c, c->low[i], i), find_cost(c, c->high[i], i)};
    }
    return RD_OK;
}

/* ---- the answer ---- */

/* Adds the factor in words: "waits 82.1 % less" or "waits 3.2 times as long". Returns the word that
 * follows. */
static const char *add_factor(rdi_text *t, double before, double after) {
    char share[RDI_FORMAT_ROOM];
    if (after >= 2 * before && before > 0) {
        rdi_text_printf(t, "waits %.3g times as long", after / before);
        return "as";
    }
    rdi_format_share(before > 0 ? fabs(after / before - 1) : 1, share);
    rdi_text_printf(t, after < before ? "waits %s less" : "waits %s longer", share);
    return "than";
}

static void add_range(rdi_text *t, const machine_change *c, int i) {
    char low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    rdi_format_time(c->cycles[i].low, c->machine->clock_ghz, low);
    rdi_format_time(c->cycles[i].high, c->machine->clock_ghz, high);
    rdi_text_printf(t, "between %s and %s", c->cycles[i].low > 0 ? low : "0", high);
}

/* Explains when the lower and the upper ends of the times hold, and that estimated misses are estimates. */
static void say_meaning(rdi_text *t, const machine_change *c) {
    if (c->timed && c->machine->parallel)
        rdi_text_printf(t,
                        " The lower ends hold if %" PRIu32 " misses are always in flight, the "
                        "upper ends if misses never overlap.",
                        c->machine->parallel);
    else if (c->timed)
        rdi_text_puts(t, " The upper ends hold if misses never overlap.");
    if (c->estimated)
        rdi_text_printf(
            t,
            " The misses are estimated from the reuse distances, as if blocks fell into "
            "sets at random%s.",
            c->stacks ? "" : "; 'simulate' counts them");
    if (c->stacks) {
        rdi_text_putc(t, ' ');
        rdi_say_private_machine(t, c->machine);
    }
}

/* Returns whether the bands of the two times overlap, so that the samples do not tell which is longer. */
static bool is_beyond_use(const machine_change *c) {
    return c->sampled && c->band[0].low <= c->band[1].high && c->band[1].low <= c->band[0].high;
}

static void add_band(rdi_text *t, const machine_change *c, int i) {
    char low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    rdi_format_time(c->band[i].low, c->machine->clock_ghz, low);
    rdi_format_time(c->band[i].high, c->machine->clock_ghz, high);
    if (c->band[i].low < c->band[i].high)
        rdi_text_printf(t, "from %s to ", c->band[i].low > 0 ? low : "0");
    rdi_text_printf(t, "%s in \"%s\"", high, c->names[i]);
}

/* Says that the samples do not tell with which profile the machine waits longer. */
static void say_beyond_use(rdi_text *t, const machine_change *c) {
    rdi_text_printf(
        t,
        "The samples do not tell with which profile %s waits longer for data: the 95 %% "
        "bands of the times%s overlap, ",
        c->machine->name, c->counted ? "" : " per reference");
    add_band(t, c, 0);
    rdi_text_puts(t, " and ");
    add_band(t, c, 1);
    rdi_text_printf(t, " at %.3g GHz, if misses never overlap. Record or analyze a larger sample.",
                    c->machine->clock_ghz);
}

/* Says by which factors the times can differ according to the bands of the samples. */
static void say_factors(rdi_text *t, const machine_change *c) {
    double low = c->band[1].low / c->band[0].high, high = c->band[1].high / c->band[0].low;
    rdi_text_printf(t, " By the 95 %% bands of the samples, it waits %.3g", low);
    if (isfinite(high))
        rdi_text_printf(t, " to %.3g times as long.", high);
    else
        rdi_text_puts(t, " times as long, or longer.");
}

/* Says how long the machine waits with each profile. Comparing the upper ends is enough: both
 * ranges belong to one machine, so their lower ends have the same ratio. */
static void say_time(rdi_text *t, const machine_change *c) {
    double before = c->cycles[0].high, after = c->cycles[1].high;
    rdi_text_printf(t, "On %s, ", c->machine->name);
    if (fabs(after - before) <= SAME * fmax(before, after)) {
        rdi_text_printf(t, "\"%s\" and \"%s\" %swait equally long for data: ", c->names[0],
                        c->names[1], c->estimated ? "are estimated to " : "");
        add_range(t, c, 1);
    } else {
        rdi_text_printf(t, "\"%s\" is %s%s: it ", c->names[1],
                        c->estimated ? "estimated to be " : "",
                        after < before ? "better" : "worse");
        const char *word = add_factor(t, before, after);
        rdi_text_printf(t, " for data %s \"%s\", ", word, c->names[0]);
        add_range(t, c, 1);
        rdi_text_puts(t, " instead of ");
        add_range(t, c, 0);
    }
    rdi_text_printf(t, "%s at %.3g GHz.", c->counted ? "" : " per reference",
                    c->machine->clock_ghz);
    if (c->sampled)
        say_factors(t, c);
    say_meaning(t, c);
}

/* Returns -1, 0 or 1 if cache `i` misses less, equally or more often with the second profile. Sets
 * *known to whether both profiles have the misses. */
static int compare_misses(const machine_change *c, size_t i, bool *known) {
    double before = c->found[0].estimate[i] * c->weight[0];
    double after = c->found[1].estimate[i] * c->weight[1];
    *known = !isnan(before) && !isnan(after);
    bool apart = c->low[0][i] * c->weight[0] > c->high[1][i] * c->weight[1] ||
                 c->low[1][i] * c->weight[1] > c->high[0][i] * c->weight[0];
    *known = *known && (!c->sampled || apart);
    if (!*known || fabs(after - before) <= SAME * fmax(before, after))
        return 0;
    return after < before ? -1 : 1;
}

static bool has_unknown_misses(const machine_change *c) {
    for (size_t i = 0; i < c->machine->caches.n; i++)
        if (isnan(c->found[0].estimate[i]) || isnan(c->found[1].estimate[i]))
            return true;
    return false;
}

/* Gives the answer if the cost is not known: compares the misses of the outermost cache that misses more
 * often with one of the two profiles. */
static void say_misses(rdi_text *t, const machine_change *c) {
    size_t i = c->machine->caches.n;
    bool known = false, told = false;
    int order = 0;
    while (order == 0 && i > 0) {
        order = compare_misses(c, --i, &known);
        told = told || known;
    }
    rdi_text_printf(t, "The cost of misses on %s is not known, because %s", c->machine->name,
                    c->stacks               ? "a profile has private stacks"
                    : has_unknown_misses(c) ? "the misses of a cache are unknown"
                                            : "its description lacks a latency or the clock rate");
    if (order)
        rdi_text_printf(t, "; its %s %s %s often in \"%s\" than in \"%s\".",
                        c->machine->caches.cache[i].name,
                        c->estimated ? "is estimated to miss" : "misses",
                        order < 0 ? "less" : "more", c->names[1], c->names[0]);
    else if (told)
        rdi_text_printf(t, "; its caches %smiss equally often in both profiles.",
                        c->estimated ? "are estimated to " : "");
    else
        rdi_text_puts(t, "; the profiles do not tell which of them misses less.");
    say_meaning(t, c);
}

/* ---- the table ---- */

static void format_misses(const machine_change *c, double miss_ratio, int i, char *text) {
    if (c->counted)
        rd_format_count(miss_ratio * c->weight[i], text);
    else
        rdi_format_share(miss_ratio, text);
}

static int count_columns(const machine_change *c) {
    return c->sampled ? BAND_COLUMNS : COUNT_COLUMNS;
}

/* Adds the misses of cache k in profile i, or their band. */
static void add_count(rdi_paper *paper, const machine_change *c, size_t k, int i) {
    char text[2 * RDI_FORMAT_ROOM + 8] = "unknown", low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    if (!isnan(c->found[i].estimate[k])) {
        format_misses(c, c->low[i][k], i, low);
        format_misses(c, c->high[i][k], i, high);
        bool band = c->low[i][k] < c->high[i][k];
        snprintf(text, sizeof text, "%s%s%s", low, band ? " .. " : "", band ? high : "");
    }
    rdi_paper_column(paper, -count_columns(c), text);
}

static void add_table(rdi_paper *paper, const machine_change *c) {
    char text[RDI_FORMAT_ROOM];
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_column(paper, NAME_COLUMNS, "");
    rdi_paper_column(paper, -SIZE_COLUMNS, "size");
    rdi_paper_column(paper, -WAYS_COLUMNS, "ways");
    rdi_paper_column(paper, -count_columns(c), c->estimated ? "estimate, 1" : "misses, 1");
    rdi_paper_column(paper, -count_columns(c), c->estimated ? "estimate, 2" : "misses, 2");
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < c->machine->caches.n; i++) {
        const rd_cache *cache = &c->machine->caches.cache[i];
        rdi_paper_column(paper, NAME_COLUMNS, cache->name);
        rd_format_bytes((double)cache->bytes, text);
        rdi_paper_column(paper, -SIZE_COLUMNS, text);
        snprintf(text, sizeof text, "%" PRIu64, cache->ways);
        rdi_paper_column(paper, -WAYS_COLUMNS, cache->ways ? text : "all");
        add_count(paper, c, i, 0);
        add_count(paper, c, i, 1);
        rdi_text_putc(&paper->t, '\n');
    }
    rdi_text_putc(&paper->t, '\n');
}

rd_status rd_report_machine_change(rd_ctx *ctx, const rd_comparees *all, const rd_machine *m,
                                   char **text, size_t *n) {
    rd_machine kept;
    RDI_NEED(ctx, ctx, all, text, n);
    RDI_NEED(ctx, all->profiles, all->names);
    if (all->n != 2)
        return rdi_fail(ctx, RD_EINVAL, "a comparison on a machine needs two profiles, not %zu",
                        all->n);
    if (!m && rdi_machine_kept(all->profiles[0], &kept) &&
        rdi_machine_is_simulated(all->profiles[1], &kept))
        m = &kept;
    if (!m)
        return rdi_fail(
            ctx, RD_EINVAL,
            "the two profiles have no simulation of the same machine's caches; name a machine");
    machine_change c = {.machine = m};
    rdi_change_names(all->names, c.names);
    RD_TRY(look(ctx, all->profiles, &c));
    rdi_paper paper = rdi_paper_start(all->profiles[0], NULL);
    rdi_text words = rdi_text_start(ctx);
    if (c.timed && is_beyond_use(&c))
        say_beyond_use(&words, &c);
    else if (c.timed)
        say_time(&words, &c);
    else
        say_misses(&words, &c);
    if (words.status == RD_OK)
        rdi_paper_wrap(&paper, words.data);
    else
        paper.t.status = words.status;
    rdi_text_drop(&words);
    add_table(&paper, &c);
    return rdi_text_take(&paper.t, text, n);
}
