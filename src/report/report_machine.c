/* Reports the misses of a machine's caches and the time that they cost, for people. */
#include "reusedist/attribution.h"
#include "reusedist/report.h"
#include "reusedist/sharing.h"

#include "base/number.h"
#include "profile/profile_build.h"
#include "report/paper.h"
#include "report/report_details.h"
#include "report/report_machine.h"
#include "report/report_parts.h"
#include "report/waits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS  14
#define SIZE_COLUMNS  11
#define WAYS_COLUMNS  8
#define SHARE_COLUMNS 14
#define WAITS_SHOWN   5

void rdi_format_time(double cycles, double clock_ghz, char *text) {
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    double seconds = cycles / (clock_ghz * 1e9);
    size_t i = 0;
    while (i + 1 < RDI_COUNT(units) && seconds < units[i].unit)
        i++;
    rdi_snprintf(text, RDI_FORMAT_ROOM, "%.3g %s", seconds / units[i].unit, units[i].name);
}

void rdi_format_cycles(const rd_machine *m, const rd_cycles *c, char *text) {
    char low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    rd_format_count(c->low, low);
    rd_format_count(c->high, high);
    int n = rdi_snprintf(text, RDI_CYCLES_ROOM, "between %s and %s cycles", low, high);
    rdi_format_time(c->low, m->clock_ghz, low);
    rdi_format_time(c->high, m->clock_ghz, high);
    rdi_snprintf(text + n, RDI_CYCLES_ROOM - (size_t)n, ", %s to %s at %.3g GHz",
                 c->low > 0 ? low : "0", high, m->clock_ghz);
}

void rdi_say_private_machine(rdi_text *t, const rd_machine *m) {
    rdi_text_puts(t,
                  "The distances are those of a private cache for each thread, so they do not tell "
                  "the misses of shared caches, the references that reach memory, and their cost; "
                  "'simulate --stacks=private ");
    rdi_text_puts(t, m->name[0] ? "--machine=" : "--caches=...");
    rdi_text_escaped(t, m->name);
    rdi_text_puts(t, "' counts the misses of all caches exactly.");
}

static void add_share(rdi_paper *paper, double share) {
    char text[RDI_FORMAT_ROOM] = "unknown";
    if (!isnan(share))
        rdi_format_share(share, text);
    rdi_paper_column(paper, -SHARE_COLUMNS, text);
}

static void add_cache(rdi_paper *paper, const rd_cache *c, double full, double estimate) {
    char text[RDI_FORMAT_ROOM] = "";
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, NAME_COLUMNS, c->name);
    rd_format_bytes((double)c->bytes, text);
    rdi_paper_column(paper, -SIZE_COLUMNS, text);
    snprintf(text, sizeof text, "%" PRIu64, c->ways);
    rdi_paper_column(paper, -WAYS_COLUMNS, c->ways ? text : "all");
    add_share(paper, estimate);
    add_share(paper, full);
    rdi_text_putc(&paper->t, '\n');
}

static bool has_unknown_misses(const rd_machine *m, const rd_machine_misses *found) {
    for (size_t i = 0; i < m->caches.n; i++)
        if (isnan(found->estimate[i]))
            return true;
    return false;
}

static void add_private(rdi_paper *paper, const rd_machine *m) {
    rdi_text words = rdi_text_start(paper->t.ctx);
    rdi_say_private_machine(&words, m);
    if (words.status == RD_OK)
        rdi_paper_wrap(paper, words.data);
    else
        paper->t.status = words.status;
    rdi_text_drop(&words);
}

/* Says how much time the misses cost, or why this is not known. */
static void add_cost(rdi_paper *paper, const rd_profile *p, const rd_machine *m,
                     const rd_machine_misses *found) {
    char range[RDI_CYCLES_ROOM], text[2 * RDI_CYCLES_ROOM + 200];
    rdi_text_putc(&paper->t, '\n');
    if (rd_profile_private(p)) {
        add_private(paper, m);
        return;
    }
    if (!found->cycles_known) {
        rdi_paper_wrap(
            paper,
            has_unknown_misses(m, found)
                ? "The cost of the misses is not known: some of these caches are larger than the "
                  "bound of the "
                  "analysis, or smaller than the sample resolves. Use a larger bound or sample."
                : "The cost of the misses is not known, because the description of "
                  "these caches lacks a latency or the clock rate. To see the cost, use "
                  "--machine with a complete description; see 'reusedist help machines'.");
        return;
    }
    rdi_format_cycles(m, &found->cycles, range);
    if (m->parallel)
        snprintf(text, sizeof text,
                 "Waiting for data takes %s. The lower end holds if %" PRIu32
                 " misses are always in flight, the upper end if misses never overlap.",
                 range, m->parallel);
    else
        snprintf(text, sizeof text,
                 "Waiting for data takes %s. The upper end holds if misses never overlap. The "
                 "machine's description does not say how many misses can be in flight.",
                 range);
    rdi_paper_wrap(paper, text);
}

/* Lists the functions, or with `lines` the lines, that wait longest. */
static rd_status add_waits(rdi_paper *paper, rd_ctx *ctx, const rd_profile *p, const rd_machine *m,
                           bool lines) {
    const rd_details *d = rd_profile_details(p);
    rdi_wait *waits = NULL;
    size_t n = 0;
    RD_TRY(rdi_waits_of(ctx, p, m, lines, &waits, &n));
    for (size_t i = 0; i < n && i < WAITS_SHOWN && waits[i].cycles.high > 0; i++) {
        char label[RDI_LABEL_ROOM], low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
        if (i == 0)
            rdi_paper_heading(paper,
                              lines ? "Lines that wait longest" : "Functions that wait longest");
        if (lines)
            rdi_name_line(d->attribution, waits[i].index, label);
        else
            snprintf(label, sizeof label, "%.400s", d->attribution->functions[waits[i].index].name);
        rdi_format_time(waits[i].cycles.low, m->clock_ghz, low);
        rdi_format_time(waits[i].cycles.high, m->clock_ghz, high);
        rdi_text_puts(&paper->t, "  ");
        rdi_paper_label(paper, label, paper->style.width > 70 ? paper->style.width - 40 : 30, true);
        rdi_text_printf(&paper->t, " between %s and %s\n", waits[i].cycles.low > 0 ? low : "0",
                        high);
    }
    rdi_free(ctx, waits);
    return RD_OK;
}

static bool has_direct_mapped(const rd_machine *m) {
    for (size_t i = 0; i < m->caches.n; i++)
        if (m->caches.cache[i].ways == 1)
            return true;
    return false;
}

static void add_table(rdi_paper *paper, const rd_profile *p, const rd_machine *m,
                      const rd_machine_misses *found) {
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_text_puts(&paper->t, m->name[0] ? "\nCaches of " : "\nCaches");
    rdi_text_escaped(&paper->t, m->name);
    rdi_text_puts(&paper->t, m->title[0] ? ": " : "");
    rdi_text_escaped(&paper->t, m->title);
    rdi_text_puts(&paper->t, "\n  ");
    rdi_paper_column(paper, NAME_COLUMNS, "");
    rdi_paper_column(paper, -SIZE_COLUMNS, "size");
    rdi_paper_column(paper, -WAYS_COLUMNS, "ways");
    rdi_paper_column(paper, -SHARE_COLUMNS, "estimate");
    rdi_paper_column(paper, -SHARE_COLUMNS, "fully assoc.");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < m->caches.n; i++)
        add_cache(paper, &m->caches.cache[i], found->full[i], found->estimate[i]);
    add_cost(paper, p, m, found);
    if (has_direct_mapped(m))
        rdi_paper_wrap(paper, RD_WAYS_WARNING ".");
}

/* Lists the code that waits longest. Before that, says what the simulated misses cost altogether, unless the
 * profile keeps the machine, because the report on the simulation then says it. */
static rd_status add_code(rdi_paper *paper, rd_ctx *ctx, const rd_profile *p, const rd_machine *m,
                          const rd_machine_misses *found) {
    rd_cycles cycles;
    char range[RDI_CYCLES_ROOM], text[RDI_CYCLES_ROOM + 100];
    if (!found->cycles_known)
        return RD_OK;
    rd_machine kept;
    if (!rdi_machine_kept(p, &kept) && rdi_waits_simulated(p, m, &cycles)) {
        rdi_format_cycles(m, &cycles, range);
        snprintf(text, sizeof text,
                 "According to the simulated misses, which are exact, waiting for data takes %s.",
                 range);
        rdi_paper_wrap(paper, text);
    }
    RD_TRY(add_waits(paper, ctx, p, m, false));
    return add_waits(paper, ctx, p, m, true);
}

/* Says why the misses of the machine's caches cannot be estimated. This does not fail, so that a
 * finished analysis still has its report. */
static void add_reason(rdi_paper *paper, const rd_ctx *ctx) {
    char text[500];
    snprintf(text, sizeof text, "The misses of the given caches cannot be estimated: %s.",
             rd_last_error(ctx));
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, text);
}

/* Writes the caches that the report names to `out` and returns their number. If the profile counted
 * the misses of certain caches, the report names these; otherwise it names the machine's data
 * caches, so that one report has one set of caches, or none if blocks have no size in bytes. Shared
 * caches are left out if the distances are those of private stacks. */
static size_t choose_levels(const rd_profile *p, const rd_machine *m, rd_level *out) {
    const rd_level *levels;
    const rd_details *details = rd_profile_details(p);
    size_t n = rdi_report_levels(p, &levels);
    if (n == 0 || (details && details->n_levels)) {
        memcpy(out, levels, n * sizeof *out);
        return n;
    }
    n = 0;
    for (size_t i = 0; i < m->caches.n; i++) {
        const rd_cache *c = &m->caches.cache[i];
        if (strcmp(c->name, "L1I") == 0 || (c->shared && rd_profile_private(p)))
            continue;
        out[n] = (rd_level){.bytes = c->bytes};
        memcpy(out[n++].name, c->name, sizeof c->name);
    }
    return n;
}

rd_status rd_report_machine_text(rd_profile *p, const rd_report_style *style, const rd_machine *m,
                                 char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, m, text, n);
    rd_ctx *ctx = rdi_profile_ctx(p);
    char *report = NULL;
    size_t n_report = 0;
    rd_machine_misses found;
    rd_level levels[RD_CACHES_MAX];
    size_t n_levels = choose_levels(p, m, levels);
    RD_TRY(rdi_report_text(p, style, levels, n_levels, &report, &n_report));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_text_add(&paper.t, report, n_report);
    rd_text_free(ctx, report);
    if (rd_machine_misses_of(ctx, p, m, &found) != RD_OK)
        add_reason(&paper, ctx);
    else if (rd_profile_facts_of(p)->references) {
        add_table(&paper, p, m, &found);
        rd_status status = add_code(&paper, ctx, p, m, &found);
        paper.t.status = paper.t.status == RD_OK ? status : paper.t.status;
    }
    return rdi_text_take(&paper.t, text, n);
}
