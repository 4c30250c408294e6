/* Says with which of two profiles a machine waits longer, and compares their misses per cache. */
#include "reusedist/report.h"

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

/* Two profiles on one machine. */
typedef struct machine_change {
    const rd_machine *machine;
    char names[2][RDI_CHANGE_NAME];
    double weight[2]; /* factor of the miss ratios: the number of references, or 1 if a recorder
                         skipped references, so that their number is unknown */
    bool counted;     /* true: the weights are numbers of references */
    bool timed;       /* true: the cost of the misses is known */
    rd_machine_misses found[2];
    rd_cycles cycles[2]; /* number of cycles that weight[i] references of profile i wait */
} machine_change;

/* Takes the simulated misses of a profile, as ratios like estimates. */
static void take_simulated(const rd_profile *p, const rd_machine *m, rd_machine_misses *out) {
    double references = (double)rd_profile_facts_of(p)->references;
    *out = (rd_machine_misses){0};
    rdi_misses_simulated(p, m, out->estimate);
    out->cycles_known = rdi_waits_simulated(p, m, &out->cycles);
    for (size_t i = 0; i < m->caches.n && references > 0; i++)
        out->estimate[i] /= references;
}

static rd_status look(rd_ctx *ctx, rd_profile *const profiles[2], machine_change *c) {
    bool simulated = rdi_machine_is_simulated(profiles[0], c->machine) &&
                     rdi_machine_is_simulated(profiles[1], c->machine);
    c->counted = c->timed = true;
    for (int i = 0; i < 2; i++) {
        if (simulated)
            take_simulated(profiles[i], c->machine, &c->found[i]);
        else
            RD_TRY(rd_machine_misses_of(ctx, profiles[i], c->machine, &c->found[i]));
        c->counted = c->counted && !rd_profile_facts_of(profiles[i])->skipped;
        c->timed = c->timed && c->found[i].cycles_known;
    }
    for (int i = 0; i < 2; i++) {
        double references = (double)rd_profile_facts_of(profiles[i])->references;
        double part = c->counted || references == 0 ? 1 : 1 / references;
        c->weight[i] = c->counted ? references : 1;
        c->cycles[i] = (rd_cycles){c->found[i].cycles.low * part, c->found[i].cycles.high * part};
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

/* Says how long the machine waits with each profile. Comparing the upper ends is enough: both
 * ranges belong to one machine, so their lower ends have the same ratio. */
static void say_time(rdi_text *t, const machine_change *c) {
    double before = c->cycles[0].high, after = c->cycles[1].high;
    rdi_text_printf(t, "On %s, ", c->machine->name);
    if (fabs(after - before) <= SAME * fmax(before, after)) {
        rdi_text_printf(t, "\"%s\" and \"%s\" wait equally long for data: ", c->names[0],
                        c->names[1]);
        add_range(t, c, 1);
    } else {
        rdi_text_printf(t, "\"%s\" is %s: it ", c->names[1], after < before ? "better" : "worse");
        const char *word = add_factor(t, before, after);
        rdi_text_printf(t, " for data %s \"%s\", ", word, c->names[0]);
        add_range(t, c, 1);
        rdi_text_puts(t, " instead of ");
        add_range(t, c, 0);
    }
    rdi_text_printf(t, "%s at %.3g GHz.", c->counted ? "" : " per reference",
                    c->machine->clock_ghz);
}

/* Returns -1, 0 or 1 if cache `i` misses less, equally or more often with the second profile. Sets
 * *known to whether both profiles have the misses. */
static int compare_misses(const machine_change *c, size_t i, bool *known) {
    double before = c->found[0].estimate[i] * c->weight[0];
    double after = c->found[1].estimate[i] * c->weight[1];
    *known = !isnan(before) && !isnan(after);
    if (!*known || fabs(after - before) <= SAME * fmax(before, after))
        return 0;
    return after < before ? -1 : 1;
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
    rdi_text_printf(t,
                    "The cost of misses on %s is not known, because a latency or the misses of a "
                    "cache are unknown",
                    c->machine->name);
    if (order)
        rdi_text_printf(t, "; its %s misses %s often in \"%s\" than in \"%s\".",
                        c->machine->caches.cache[i].name, order < 0 ? "less" : "more", c->names[1],
                        c->names[0]);
    else
        rdi_text_puts(t, told ? "; its caches miss equally often in both profiles."
                              : "; the profiles do not tell which of them misses less.");
}

/* ---- the table ---- */

static void add_count(rdi_paper *paper, const machine_change *c, double miss_ratio, int i) {
    char text[RDI_FORMAT_ROOM] = "unknown";
    if (!isnan(miss_ratio) && c->counted)
        rd_format_count(miss_ratio * c->weight[i], text);
    else if (!isnan(miss_ratio))
        rdi_format_share(miss_ratio, text);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
}

static void add_table(rdi_paper *paper, const machine_change *c) {
    char text[RDI_FORMAT_ROOM];
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_column(paper, NAME_COLUMNS, "");
    rdi_paper_column(paper, -SIZE_COLUMNS, "size");
    rdi_paper_column(paper, -WAYS_COLUMNS, "ways");
    rdi_paper_column(paper, -COUNT_COLUMNS, "misses, 1");
    rdi_paper_column(paper, -COUNT_COLUMNS, "misses, 2");
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < c->machine->caches.n; i++) {
        const rd_cache *cache = &c->machine->caches.cache[i];
        rdi_paper_column(paper, NAME_COLUMNS, cache->name);
        rd_format_bytes((double)cache->bytes, text);
        rdi_paper_column(paper, -SIZE_COLUMNS, text);
        snprintf(text, sizeof text, "%" PRIu64, cache->ways);
        rdi_paper_column(paper, -WAYS_COLUMNS, cache->ways ? text : "all");
        add_count(paper, c, c->found[0].estimate[i], 0);
        add_count(paper, c, c->found[1].estimate[i], 1);
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
            "the two profiles have not simulated the caches of the same machine; name a machine");
    machine_change c = {.machine = m};
    rdi_change_names(all->names, c.names);
    RD_TRY(look(ctx, all->profiles, &c));
    rdi_paper paper = rdi_paper_start(all->profiles[0], NULL);
    rdi_text words = rdi_text_start(ctx);
    if (c.timed)
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
