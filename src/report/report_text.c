/* Makes the report that people read in the terminal. This file adds totals and histogram,
 * report_sizes.c adds cache sizes and sentences, and report_details.c adds code and data. */
#include "report/report_parts.h"
#include "report/report_simulation.h"

#include "profile/profile_build.h"
#include "report/chart.h"
#include "report/report_details.h"
#include "report/report_objects.h"
#include "report/report_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RANGE_COLUMNS 15
#define HIT_COLUMNS   11
#define SHARING_RARE  0.001 /* fewer coherence misses per reference hardly cost time */

/* ---- totals ---- */

/* Begins the line of one fact. The value follows. */
static void add_label(rdi_report *r, const char *label) {
    rdi_text_puts(&r->paper.t, "  ");
    rdi_paper_column(&r->paper, RDI_FACT_COLUMNS, label);
}

/* Adds ": loads and stores" for the kinds "LS". */
static void add_kinds(rdi_report *r) {
    static const char *const names[] = {"loads", "stores", "instruction fetches"};
    const char *before = ": ";
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (strchr(r->facts->kinds, "LSI"[i])) {
            rdi_text_printf(&r->paper.t, "%s%s", before, names[i]);
            before = " and ";
        }
}

static void add_references(rdi_report *r) {
    char count[16];
    rd_format_count((double)r->facts->references, count);
    add_label(r, "references");
    rdi_text_puts(&r->paper.t, count);
    if (r->facts->kinds)
        add_kinds(r);
    rdi_text_putc(&r->paper.t, '\n');
}

static void add_footprint(rdi_report *r) {
    const rd_profile_facts *f = r->facts;
    rdi_text *t = &r->paper.t;
    char count[16], bytes[16], block[16];
    add_label(r, "footprint");
    rd_format_count((double)f->blocks, count);
    rd_format_bytes((double)f->blocks * (double)f->block_bytes, bytes);
    rd_format_bytes((double)f->block_bytes, block);
    if (f->blocks == RD_UNKNOWN)
        rdi_text_puts(t, "unknown: the analysis was bounded\n");
    else if (f->block_bytes)
        rdi_text_printf(t, "%s, %s block%s of %s\n", bytes, count, f->blocks == 1 ? "" : "s",
                        block);
    else
        rdi_text_printf(t, "%s distinct %s\n", count,
                        f->blocks == 1 ? "address or object" : "addresses or objects");
}

static void add_infinite(rdi_report *r) {
    const rd_profile_facts *f = r->facts;
    rdi_text *t = &r->paper.t;
    char share[RDI_FORMAT_ROOM], count[16], bound[RDI_FORMAT_ROOM];
    uint64_t misses = rd_profile_private(r->p) ? f->cold : f->infinite;
    rdi_format_share((double)misses / (double)f->references, share);
    rd_format_count((double)misses, count);
    rdi_format_size(&r->paper, f->bound, bound);
    add_label(r, f->bound ? "infinite" : "first touches");
    rdi_text_printf(t, "%s, %s: ", share, count);
    if (f->bound)
        rdi_text_printf(t, "first touches, or beyond the bound of %s%s\n", bound,
                        f->block_bytes ? "" : " blocks");
    else
        rdi_text_puts(t, f->skipped ? "the recorded parts did not touch these blocks before\n"
                                    : "no cache avoids these\n");
}

/* Adds the coherence misses in recorded order, if their share differs by at least one percentage point from
 * the share `coherence` in lockstep. */
static void add_recorded_order(rdi_report *r, double coherence) {
    char text[RDI_RECORDED_ROOM];
    if (!rdi_format_recorded(r->p, coherence, text))
        return;
    add_label(r, "recorded order");
    rdi_text_puts(&r->paper.t, text);
}

/* Adds the facts about private caches, if the profile has them. */
static void add_private(rdi_report *r) {
    const rd_private_stacks *all = rd_profile_private(r->p);
    rdi_text *t = &r->paper.t;
    char share[RDI_FORMAT_ROOM], count[16], falsely[RDI_FORMAT_ROOM];
    if (!all)
        return;
    double misses = (double)all->all.coherence;
    rdi_format_share(misses / (double)r->facts->references, share);
    rd_format_count(misses, count);
    rdi_format_share(misses > 0 ? (double)all->all.false_sharing / misses : 0, falsely);
    add_label(r, "coherence");
    rdi_text_printf(t, "%s, %s: another thread stored to the block; ", share, count);
    rdi_text_printf(t, "%s are false sharing\n", falsely);
    add_label(r, "stacks");
    rdi_text_printf(t,
                    "private, one cache for each of %zu thread%s; interleaving: ", all->n_threads,
                    all->n_threads == 1 ? "" : "s");
    rdi_text_escaped(t, rdi_order_name(all->interleave, all->n_threads));
    rdi_text_putc(t, '\n');
    add_recorded_order(r, misses / (double)r->facts->references);
}

/* Returns the block with the most coherence misses among the blocks that padding helps: more than half of their
 * misses are false sharing, and padding removes at least half of their misses. Returns NULL if there is none. */
static const rd_shared_block *worst_false_sharing(const rd_shared_data *s) {
    for (size_t i = 0; i < s->n_blocks; i++) {
        const rd_shared_block *b = &s->blocks[i];
        uint64_t misses = b->true_sharing + b->false_sharing;
        if (b->first && b->false_sharing > b->true_sharing && b->removes >= misses / 2)
            return b;
    }
    return NULL;
}

/* Says which data threads share most, and what to change first. The caller has added the label. */
static void add_shared_data(rdi_report *r, const rd_shared_data *s, const char *falsely) {
    rdi_text *t = &r->paper.t;
    const rd_shared_block *b = worst_false_sharing(s);
    rdi_text_printf(t, "%s of them false sharing, mostly in ", falsely);
    rdi_text_escaped(t, s->data[0].name);
    rdi_text_puts(t, "; see 'reusedist sharing'\n");
    if (!b || (double)(b->true_sharing + b->false_sharing) < SHARING_RARE * (double)s->references)
        return;
    add_label(r, "");
    rdi_text_printf(t, "put %" PRIu64 " byte%s between ", b->padding, b->padding == 1 ? "" : "s");
    rdi_text_escaped(t, b->first);
    rdi_text_puts(t, " and ");
    rdi_text_escaped(t, b->second);
    rdi_text_putc(t, '\n');
}

/* Adds lines about the data that threads share, if the profile has them. */
static void add_sharing(rdi_report *r) {
    const rd_shared_data *s = rd_profile_shared(r->p);
    rdi_text *t = &r->paper.t;
    char count[16], share[RDI_FORMAT_ROOM], falsely[RDI_FORMAT_ROOM];
    if (!s || s->n_blocks == 0 || s->n_data == 0)
        return;
    double misses = (double)s->true_sharing + (double)s->false_sharing;
    rd_format_count(misses, count);
    rdi_format_share(misses / (double)s->references, share);
    rdi_format_share((double)s->false_sharing / misses, falsely);
    add_label(r, "sharing");
    rdi_text_printf(t, "with a cache per thread, %s coherence miss%s, %s of the references,\n",
                    count, misses == 1 ? "" : "es", share);
    add_label(r, "");
    if (misses < SHARING_RARE * (double)s->references)
        rdi_text_puts(t, "so threads hardly disturb each other; see 'reusedist sharing'\n");
    else
        add_shared_data(r, s, falsely);
    add_label(r, "");
    if (strcmp(s->interleave, "recorded") != 0) {
        rdi_text_escaped(t, s->interleave);
        rdi_text_puts(t, ": threads take turns, because recorders serialize them\n");
        return;
    }
    rdi_text_puts(t,
                  "in the recorded order, in which threads take long turns: threads that run at\n");
    add_label(r, "");
    rdi_text_puts(t, "the same time have more; to count these, use --interleave=lockstep\n");
}

/* Adds the median of the finite distances: a number, the bin that the median is in, or "below" and
 * the smallest size that the sample resolves. */
static void add_median(rdi_report *r, const rd_bin *bins, size_t n, uint64_t finite) {
    size_t i = 0;
    uint64_t seen = 0;
    while (i + 1 < n && seen + bins[i].count < finite - finite / 2)
        seen += bins[i++].count;
    if (bins[i].low < r->resolution) {
        rdi_text_printf(&r->paper.t, "median below %" PRIu64, r->resolution);
        return;
    }
    rdi_text_printf(&r->paper.t, "median %" PRIu64, bins[i].low);
    if (bins[i].low != bins[i].high)
        rdi_text_printf(&r->paper.t, " to %" PRIu64, bins[i].high);
}

static void add_distances(rdi_report *r) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(r->p, &bins);
    uint64_t finite = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        finite += bins[i].count;
        sum += rd_bin_mean(&bins[i]) * (double)bins[i].count;
    }
    add_label(r, "reuse distance");
    if (finite == 0) {
        rdi_text_puts(&r->paper.t, r->facts->bound ? "no reuse has a distance below the bound\n"
                                   : rdi_report_is_disturbed(r)
                                       ? "other threads removed every block before its reuse\n"
                                       : "no block was used twice\n");
        return;
    }
    add_median(r, bins, n, finite);
    double mean = sum / (double)finite;
    char count[16];
    rd_format_count(mean, count);
    if (r->facts->sums_known && mean < 1000)
        rdi_text_printf(&r->paper.t, ", mean %.3g", mean);
    else if (r->facts->sums_known)
        rdi_text_printf(&r->paper.t, ", mean %s", count);
    rdi_text_puts(&r->paper.t, " blocks\n");
    if (r->facts->bound) {
        add_label(r, "");
        rdi_text_puts(&r->paper.t, "of the distances below the bound\n");
    }
}

static void add_engine(rdi_report *r) {
    const rd_profile_facts *f = r->facts;
    rdi_text *t = &r->paper.t;
    add_label(r, "measured");
    if (f->sample_rate > 0) {
        char share[RDI_FORMAT_ROOM];
        rdi_format_share(f->sample_rate, share);
        rdi_text_printf(t, "estimated from %s of the blocks", share);
    } else {
        rdi_text_puts(t, f->exact     ? "exactly"
                         : f->skipped ? "in the recorded parts of the run"
                                      : "approximately");
    }
    rdi_text_puts(t, ", engine ");
    rdi_text_escaped(t, f->engine ? f->engine : "unknown");
    rdi_text_putc(t, '\n');
    if (!f->exact) {
        add_label(r, "error");
        rdi_paper_error(&r->paper, f);
        rdi_text_putc(t, '\n');
    }
    if (r->resolution) {
        char size[RDI_FORMAT_ROOM];
        rdi_format_size(&r->paper, r->resolution, size);
        add_label(r, "resolution");
        rdi_text_printf(
            t, "caches of %s%s and more; smaller caches hold fewer than 10 sampled blocks\n", size,
            rdi_report_unit(r));
    }
}

/* ---- histogram ---- */

static void format_range(const rdi_report *r, uint64_t low, uint64_t high, char *text,
                         size_t room) {
    const char *dash = r->paper.style.unicode ? "–" : "-";
    char from[RDI_FORMAT_ROOM], to[RDI_FORMAT_ROOM];
    if (low == high)
        snprintf(text, room, "%" PRIu64, low);
    else if (high < 10000)
        snprintf(text, room, "%" PRIu64 " %s %" PRIu64, low, dash, high);
    else {
        rdi_format_units((double)low, from);
        rdi_format_units((double)high + 1, to);
        snprintf(text, room, "%s %s %s", from, dash, to);
    }
}

typedef struct octave {
    uint64_t low, high;
    double share; /* fraction of all references in this octave */
    double hits;  /* fraction of all references with a distance of at most `high` */
    bool share_interpolated, hits_interpolated;
} octave;

#define OCTAVES_MAX 65

/* Returns the last distance of the first row. The row holds distance 0 or, for a sample, all
 * distances that it does not resolve. */
static uint64_t first_high(const rdi_report *r) {
    uint64_t size = 1;
    while (size < r->resolution && size < UINT64_C(1) << 62)
        size *= 2;
    return size - 1;
}

/* Computes the fractions of all references with distances 0, 1, 2 to 3, 4 to 7 ..., whatever the
 * profile's bins are. Returns the number of rows. */
static size_t collect_octaves(const rdi_report *r, octave *rows) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(r->p);
    double miss_before = 1;
    bool guessed_before = false;
    size_t n = 0;
    for (uint64_t low = 0; low < r->end && n < OCTAVES_MAX; n++) {
        uint64_t high = low == 0 ? first_high(r) : low * 2 - 1;
        if (r->facts->bound && high >= r->facts->bound)
            high = r->facts->bound - 1; /* the profile has no information beyond the bound */
        bool guessed;
        double miss = rdi_mrc_scan_at(&scan, high < r->end ? high + 1 : r->end, &guessed);
        rows[n] = (octave){.low = low,
                           .high = high,
                           .share = miss_before - miss,
                           .hits = 1 - miss,
                           .share_interpolated = guessed || guessed_before,
                           .hits_interpolated = guessed};
        miss_before = miss;
        guessed_before = guessed;
        low = high + 1;
    }
    return n;
}

/* Returns whether the histogram has the columns about caches. A narrow terminal shows wider bars
 * instead. */
static bool has_cache_columns(const rdi_report *r) {
    return r->paper.style.width >= 66;
}

static int bar_columns(const rdi_report *r) {
    int fixed = RANGE_COLUMNS + 1 + RDI_SHARE_COLUMNS;
    if (has_cache_columns(r))
        fixed += HIT_COLUMNS + RDI_CACHE_COLUMNS;
    return (int)r->paper.style.width - fixed;
}

/* Adds a share as a column, with "~" if it is interpolated. */
static void add_share(rdi_paper *paper, int columns, double share, bool interpolated) {
    char text[2 * RDI_FORMAT_ROOM] = "~";
    rdi_format_share(share, text + interpolated);
    rdi_paper_column(paper, -columns, text);
}

static void add_histogram_row(rdi_report *r, const char *label, const octave *row, double scale) {
    rdi_paper *paper = &r->paper;
    char size[RDI_FORMAT_ROOM];
    rdi_paper_column(paper, -RANGE_COLUMNS, label);
    rdi_text_putc(&paper->t, ' ');
    unsigned cells = (unsigned)bar_columns(r);
    unsigned used = rdi_paper_bar(paper, scale > 0 ? row->share / scale : 0, cells);
    rdi_text_fill(&paper->t, ' ', cells - used);
    add_share(paper, RDI_SHARE_COLUMNS, row->share, row->share_interpolated);
    if (row->high != RD_UNKNOWN && has_cache_columns(r)) {
        add_share(paper, HIT_COLUMNS, row->hits, row->hits_interpolated);
        rdi_format_power(paper, row->high + 1, size);
        rdi_paper_column(paper, -RDI_CACHE_COLUMNS, size);
    }
    rdi_text_putc(&paper->t, '\n');
}

static void add_histogram_heading(rdi_report *r) {
    rdi_paper *paper = &r->paper;
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, RANGE_COLUMNS + 1 + bar_columns(r), "Reuse distance, blocks");
    rdi_paper_column(paper, -RDI_SHARE_COLUMNS, "share");
    if (has_cache_columns(r)) {
        rdi_paper_column(paper, -HIT_COLUMNS, "hit ratio");
        rdi_paper_column(paper, -RDI_CACHE_COLUMNS, "cache size");
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_histogram(rdi_report *r) {
    octave rows[OCTAVES_MAX];
    size_t n = collect_octaves(r, rows);
    octave infinite = {.high = RD_UNKNOWN,
                       .share = (double)r->facts->infinite / (double)r->facts->references};
    double scale = infinite.share;
    for (size_t i = 0; i < n; i++)
        scale = rows[i].share > scale ? rows[i].share : scale;
    add_histogram_heading(r);
    for (size_t i = 0; i < n; i++) {
        char label[64];
        format_range(r, rows[i].low, rows[i].high, label, sizeof label);
        add_histogram_row(r, label, &rows[i], scale);
    }
    bool mixed = r->facts->bound || rd_profile_private(r->p);
    add_histogram_row(r, mixed ? "infinite" : "first touch", &infinite, scale);
}

/* ---- the whole report ---- */

static void add_findings(rdi_report *r) {
    add_footprint(r);
    add_infinite(r);
    add_private(r);
    add_sharing(r);
    add_distances(r);
    add_engine(r);
    add_histogram(r);
    rdi_paper_heading(&r->paper, "Miss ratio by cache size (fully associative, LRU)");
    rdi_chart_mrc(&r->paper, r->p);
    rdi_report_sizes(r);
    rdi_report_words(r);
    if (rd_profile_private(r->p))
        rdi_report_threads(&r->paper, rd_profile_private(r->p));
    rdi_report_details(&r->paper, r->p);
}

rd_status rd_report_text(rd_profile *p, const rd_report_style *style, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_level *levels;
    size_t n_levels = rdi_report_levels(p, &levels);
    return rdi_report_text(p, style, levels, n_levels, text, n);
}

rd_status rdi_report_text(rd_profile *p, const rd_report_style *style, const rd_level *levels,
                          size_t n_levels, char **text, size_t *n) {
    if (rd_profile_objects(p))
        return rdi_report_objects_text(p, style, text, n);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    rdi_report r = {.paper = rdi_paper_start(p, style),
                    .ctx = rdi_profile_ctx(p),
                    .p = p,
                    .facts = rd_profile_facts_of(p),
                    .levels = levels,
                    .n_levels = n_levels,
                    .end = rdi_mrc_end(&scan),
                    .resolution = rd_mrc_resolution(p)};
    rdi_paper_title(&r.paper, p);
    add_references(&r);
    if (rdi_mrc_measured(p)) {
        add_findings(&r);
    } else {
        add_label(&r, "measured");
        rdi_text_printf(&r.paper.t, "%s\n",
                        r.facts->references ? "no reuse distances: the engine does not compute them"
                                            : "nothing: the trace has no references");
    }
    if (rd_profile_simulation(p) || rd_profile_private_simulation(p)) {
        rdi_paper_heading(&r.paper, "Simulated caches");
        rdi_report_simulation(&r.paper, p);
    }
    return rdi_text_take(&r.paper.t, text, n);
}
