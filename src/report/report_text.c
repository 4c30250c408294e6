/* Makes the report that people read in the terminal: totals, histogram, curve, cache sizes, and
 * findings in words. */
#include "reusedist/report.h"

#include "model/mrc.h"
#include "profile/profile_build.h"
#include "report/chart.h"
#include "report/paper.h"
#include "report/report_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Width of the labels of the totals, and of the sizes on a narrow terminal. */
#define FACT_COLUMNS  17
#define SIZE_COLUMNS  28 /* width of the labels of the sizes on a terminal of WIDE columns */
#define WIDE          79
#define RANGE_COLUMNS 15
#define SHARE_COLUMNS 10
#define HIT_COLUMNS   11
#define CACHE_COLUMNS 11
#define MAX_KNEES     3

/* Typical caches, which many machines have. */
static const struct {
    const char *name;
    uint64_t bytes;
} typical[] = {{"a typical L1", 32 << 10}, {"a typical L2", 1 << 20}, {"a typical L3", 32 << 20}};

typedef struct report {
    rdi_paper paper;
    rd_ctx *ctx;
    rd_profile *p;
    const rd_profile_facts *facts;
    uint64_t end; /* size of the smallest cache that has all achievable hits */
} report;

/* ---- totals ---- */

/* Begins the line of one fact. The value follows. */
static void add_label(report *r, const char *label) {
    rdi_text_puts(&r->paper.t, "  ");
    rdi_paper_column(&r->paper, FACT_COLUMNS, label);
}

/* Adds ": loads and stores" for the kinds "LS". */
static void add_kinds(report *r) {
    static const char *const names[] = {"loads", "stores", "instruction fetches"};
    const char *before = ": ";
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (strchr(r->facts->kinds, "LSI"[i])) {
            rdi_text_printf(&r->paper.t, "%s%s", before, names[i]);
            before = " and ";
        }
}

static void add_references(report *r) {
    char count[16];
    rd_format_count((double)r->facts->references, count);
    add_label(r, "references");
    rdi_text_puts(&r->paper.t, count);
    if (r->facts->kinds)
        add_kinds(r);
    rdi_text_putc(&r->paper.t, '\n');
}

static void add_footprint(report *r) {
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
        rdi_text_printf(t, "%s, %s blocks of %s\n", bytes, count, block);
    else
        rdi_text_printf(t, "%s distinct addresses or objects\n", count);
}

static void add_infinite(report *r) {
    const rd_profile_facts *f = r->facts;
    rdi_text *t = &r->paper.t;
    char share[RDI_FORMAT_ROOM], count[16], bound[RDI_FORMAT_ROOM];
    rdi_format_share((double)f->infinite / (double)f->references, share);
    rd_format_count((double)f->infinite, count);
    rdi_format_size(&r->paper, f->bound, bound);
    add_label(r, f->bound ? "infinite" : "first touches");
    rdi_text_printf(t, "%s, %s: ", share, count);
    if (f->bound)
        rdi_text_printf(t, "first touches, or beyond the bound of %s%s\n", bound,
                        f->block_bytes ? "" : " blocks");
    else
        rdi_text_puts(t, "no cache avoids these\n");
}

/* Adds the median of the finite distances: a number, or the bin that the median is in. */
static void add_median(report *r, const rd_bin *bins, size_t n, uint64_t finite) {
    size_t i = 0;
    uint64_t seen = 0;
    while (i + 1 < n && seen + bins[i].count < finite - finite / 2)
        seen += bins[i++].count;
    rdi_text_printf(&r->paper.t, "median %" PRIu64, bins[i].low);
    if (bins[i].low != bins[i].high)
        rdi_text_printf(&r->paper.t, " to %" PRIu64, bins[i].high);
}

static void add_distances(report *r) {
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
        rdi_text_puts(&r->paper.t, "no block was used twice\n");
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
}

static void add_engine(report *r) {
    const rd_profile_facts *f = r->facts;
    rdi_text *t = &r->paper.t;
    add_label(r, "measured");
    if (f->sample_rate > 0) {
        char share[RDI_FORMAT_ROOM];
        rdi_format_share(f->sample_rate, share);
        rdi_text_printf(t, "estimated from %s of the blocks", share);
    } else {
        rdi_text_puts(t, f->exact ? "exactly" : "approximately");
    }
    rdi_text_puts(t, ", engine ");
    rdi_text_escaped(t, f->engine ? f->engine : "unknown");
    rdi_text_putc(t, '\n');
    if (!f->exact) {
        add_label(r, "error");
        rdi_paper_error(&r->paper, f);
        rdi_text_putc(t, '\n');
    }
}

/* ---- histogram ---- */

static void format_range(const report *r, uint64_t low, uint64_t high, char *text, size_t room) {
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
    bool interpolated;
} octave;

#define OCTAVES_MAX 65

/* Computes the fractions of all references in [0], [1], [2,3], [4,7] ..., independent of the
 * profile's bins. */
static size_t collect_octaves(const report *r, octave *rows) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(r->p);
    double miss_before = 1;
    bool guessed_before = false;
    size_t n = 0;
    for (uint64_t low = 0; low < r->end && n < OCTAVES_MAX; n++) {
        uint64_t high = low == 0 ? 0 : low * 2 - 1;
        if (r->facts->bound && high >= r->facts->bound)
            high = r->facts->bound - 1; /* the profile has no information beyond the bound */
        bool guessed;
        double miss = rdi_mrc_scan_at(&scan, high < r->end ? high + 1 : r->end, &guessed);
        rows[n] = (octave){low, high, miss_before - miss, 1 - miss, guessed || guessed_before};
        miss_before = miss;
        guessed_before = guessed;
        low = high + 1;
    }
    return n;
}

/* Returns whether the histogram has the columns about caches. On a narrow terminal the bars are
 * more useful. */
static bool has_cache_columns(const report *r) {
    return r->paper.style.width >= 66;
}

static int bar_columns(const report *r) {
    int fixed = RANGE_COLUMNS + 1 + SHARE_COLUMNS;
    if (has_cache_columns(r))
        fixed += HIT_COLUMNS + CACHE_COLUMNS;
    return (int)r->paper.style.width - fixed;
}

static void add_histogram_row(report *r, const char *label, const octave *row, double scale) {
    rdi_paper *paper = &r->paper;
    char share[RDI_FORMAT_ROOM], text[2 * RDI_FORMAT_ROOM];
    rdi_paper_column(paper, -RANGE_COLUMNS, label);
    rdi_text_putc(&paper->t, ' ');
    unsigned cells = (unsigned)bar_columns(r);
    unsigned used = rdi_paper_bar(paper, scale > 0 ? row->share / scale : 0, cells);
    rdi_text_fill(&paper->t, ' ', cells - used);
    rdi_format_share(row->share, share);
    snprintf(text, sizeof text, "%s%s", row->interpolated ? "~" : "", share);
    rdi_paper_column(paper, -SHARE_COLUMNS, text);
    if (row->high != RD_UNKNOWN && has_cache_columns(r)) {
        rdi_format_share(row->hits, share);
        rdi_paper_column(paper, -HIT_COLUMNS, share);
        rdi_format_power(paper, row->high + 1, text);
        rdi_paper_column(paper, -CACHE_COLUMNS, text);
    }
    rdi_text_putc(&paper->t, '\n');
}

static void add_histogram_heading(report *r) {
    rdi_paper *paper = &r->paper;
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, RANGE_COLUMNS + 1 + bar_columns(r), "Reuse distance, blocks");
    rdi_paper_column(paper, -SHARE_COLUMNS, "share");
    if (has_cache_columns(r)) {
        rdi_paper_column(paper, -HIT_COLUMNS, "hit ratio");
        rdi_paper_column(paper, -CACHE_COLUMNS, "cache size");
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_histogram(report *r) {
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
    add_histogram_row(r, r->facts->bound ? "infinite" : "first touch", &infinite, scale);
}

/* ---- sizes ---- */

static double miss_at(const report *r, uint64_t blocks, bool *interpolated) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(r->p);
    return rdi_mrc_scan_at(&scan, blocks, interpolated);
}

static bool is_wide(const report *r) {
    return r->paper.style.width >= WIDE;
}

static int size_columns(const report *r) {
    return is_wide(r) ? SIZE_COLUMNS : FACT_COLUMNS;
}

/* Returns the unit of a size that is not in bytes. */
static const char *size_unit(const report *r) {
    return r->facts->block_bytes ? "" : " objects";
}

/* Adds a line such as "L1        32 KiB     3.1 %  note". */
static void add_size(report *r, const char *label, uint64_t blocks, const char *note) {
    rdi_paper *paper = &r->paper;
    const rd_profile_facts *f = r->facts;
    char text[2 * RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, size_columns(r), label);
    rdi_format_size(paper, blocks, text);
    rdi_paper_column(paper, -CACHE_COLUMNS, text);
    bool interpolated = false;
    if (f->bound && blocks > f->bound) {
        note = "beyond the bound";
    } else {
        rdi_format_share(miss_at(r, blocks, &interpolated), share);
        snprintf(text, sizeof text, "%s%s", interpolated ? "~" : "", share);
        rdi_paper_column(paper, -SHARE_COLUMNS, text);
    }
    if (!note && !f->bound && blocks >= r->end)
        note = "first touches only";
    rdi_text_printf(&paper->t, "%s%s\n", note ? "  " : "", note ? note : "");
}

static void add_typical_sizes(report *r) {
    const rd_profile_facts *f = r->facts;
    if (f->bound)
        add_size(r, "the bound", f->bound, NULL);
    if (f->block_bytes) {
        for (size_t i = 0; i < RDI_COUNT(typical); i++)
            if (typical[i].bytes >= f->block_bytes)
                add_size(r, typical[i].name, typical[i].bytes / f->block_bytes, NULL);
        return;
    }
    static const unsigned percents[] = {1, 10, 50};
    for (size_t i = 0; i < RDI_COUNT(percents) && f->blocks != RD_UNKNOWN; i++) {
        char label[32];
        snprintf(label, sizeof label, "%u %% of all%s", percents[i],
                 is_wide(r) ? size_unit(r) : "");
        uint64_t blocks = f->blocks / 100 * percents[i] + f->blocks % 100 * percents[i] / 100;
        if (blocks > 0)
            add_size(r, label, blocks, NULL);
    }
}

static void add_sizes(report *r) {
    rdi_paper *paper = &r->paper;
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, 2 + size_columns(r) + CACHE_COLUMNS, "Cache sizes");
    rdi_paper_column(paper, -SHARE_COLUMNS, "misses");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    add_typical_sizes(r);
    static const unsigned percents[] = {90, 99};
    for (size_t i = 0; i < RDI_COUNT(percents) && r->facts->cold != RD_UNKNOWN && r->end; i++) {
        char label[32];
        snprintf(label, sizeof label,
                 is_wide(r) ? "%u %% of the achievable hits" : "%u %% of the hits", percents[i]);
        add_size(r, label, rd_smallest_cache(r->p, percents[i] / 100.0), NULL);
    }
    rd_knee knees[MAX_KNEES];
    size_t n = rd_knees(r->p, knees, MAX_KNEES);
    for (size_t i = 0; i < n; i++) {
        char before[RDI_FORMAT_ROOM], note[64];
        rdi_format_share(knees[i].miss_before, before);
        snprintf(note, sizeof note, "%s with half of it", before);
        add_size(r,
                 i == 0       ? "working set"
                 : is_wide(r) ? "another working set"
                              : "another",
                 knees[i].blocks, note);
    }
}

/* ---- in words ---- */

/* Returns the number of typical caches that the sentence names: those within the bound, up to the
 * first one that holds every block. They are sorted by size. */
static size_t count_telling(const report *r) {
    const rd_profile_facts *f = r->facts;
    size_t n = 0;
    while (n < RDI_COUNT(typical) && f->block_bytes && f->block_bytes <= typical[0].bytes) {
        uint64_t blocks = typical[n].bytes / f->block_bytes;
        if (f->bound && blocks > f->bound)
            break;
        n++;
        if (blocks >= r->end)
            break;
    }
    return n;
}

/* States the miss ratio at one size if no typical cache applies: the bound, or a tenth of all
 * objects. */
static void say_something(const report *r, rdi_text *words) {
    const rd_profile_facts *f = r->facts;
    uint64_t blocks = f->bound ? f->bound : f->blocks == RD_UNKNOWN ? 0 : f->blocks / 10;
    if (blocks == 0)
        return;
    char size[RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
    bool interpolated;
    rdi_format_size(&r->paper, blocks, size);
    rdi_format_share(miss_at(r, blocks, &interpolated), share);
    rdi_text_printf(words, "A cache of %s%s (%s) would miss %s of the references. ", size,
                    size_unit(r), f->bound ? "the bound of this analysis" : "a tenth of all",
                    share);
}

/* States the miss ratios of typical caches. */
static void say_typical(const report *r, rdi_text *words) {
    size_t n = count_telling(r);
    for (size_t i = 0; i < n; i++) {
        uint64_t blocks = typical[i].bytes / r->facts->block_bytes;
        char size[RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
        bool interpolated, everything = !r->facts->bound && blocks >= r->end;
        rdi_format_share(miss_at(r, blocks, &interpolated), share);
        rdi_format_size(&r->paper, blocks, size);
        if (i > 0)
            rdi_text_puts(words, i + 1 < n ? ", one of " : " and one of ");
        rdi_text_printf(words, i > 0 ? "%s " : "A cache of %s would miss ", size);
        rdi_text_printf(words, everything ? "only the first touches (%s)" : "%s", share);
        rdi_text_puts(words, i == 0 && !everything ? " of the references" : "");
    }
    if (n > 0)
        rdi_text_puts(words, ". ");
}

static void say_no_working_set(const report *r, rdi_text *words) {
    rdi_text_puts(words, "No cache size stands out as a working set");
    if (r->facts->cold != RD_UNKNOWN) {
        char most[RDI_FORMAT_ROOM], nearly_all[RDI_FORMAT_ROOM];
        rdi_format_size(&r->paper, rd_smallest_cache(r->p, 0.9), most);
        rdi_format_size(&r->paper, rd_smallest_cache(r->p, 0.99), nearly_all);
        const char *unit = size_unit(r);
        rdi_text_printf(words, ": 90 %% of the achievable hits need %s%s, 99 %% need %s%s", most,
                        unit, nearly_all, unit);
    }
    rdi_text_putc(words, '.');
}

static void say_working_set(const report *r, rdi_text *words) {
    rd_knee knee;
    if (r->end == 0) {
        rdi_text_puts(words, "No block is used twice, so no cache of any size would help.");
        return;
    }
    if (rd_knees(r->p, &knee, 1) == 0) {
        say_no_working_set(r, words);
        return;
    }
    char size[RDI_FORMAT_ROOM], before[RDI_FORMAT_ROOM], after[RDI_FORMAT_ROOM];
    rdi_format_size(&r->paper, knee.blocks, size);
    rdi_format_share(knee.miss_before, before);
    rdi_format_share(knee.miss_after, after);
    rdi_text_printf(words,
                    "The clearest working set is %s%s: a cache of half that size would miss %s, "
                    "one that holds it %s.",
                    size, size_unit(r), before, after);
}

static void add_words(report *r) {
    rdi_text words = rdi_text_start(r->ctx);
    if (count_telling(r) > 0)
        say_typical(r, &words);
    else
        say_something(r, &words);
    say_working_set(r, &words);
    rdi_text_putc(&r->paper.t, '\n');
    if (words.status == RD_OK)
        rdi_paper_wrap(&r->paper, words.data);
    else
        r->paper.t.status = words.status;
    rdi_text_drop(&words);
}

/* ---- the whole report ---- */

static void add_findings(report *r) {
    add_footprint(r);
    add_infinite(r);
    add_distances(r);
    add_engine(r);
    add_histogram(r);
    rdi_paper_heading(&r->paper, "Miss ratio by cache size (fully associative, LRU)");
    rdi_chart_mrc(&r->paper, r->p);
    add_sizes(r);
    add_words(r);
    rdi_report_details(&r->paper, r->p);
}

rd_status rd_report_text(rd_profile *p, const rd_report_style *style, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    report r = {.paper = rdi_paper_start(p, style),
                .ctx = rdi_profile_ctx(p),
                .p = p,
                .facts = rd_profile_facts_of(p),
                .end = rdi_mrc_end(&scan)};
    rdi_paper_title(&r.paper, p);
    add_references(&r);
    if (rdi_mrc_measured(p)) {
        add_findings(&r);
    } else {
        add_label(&r, "measured");
        rdi_text_printf(&r.paper.t, "nothing: %s\n",
                        r.facts->references ? "the engine only counts"
                                            : "the trace has no references");
    }
    return rdi_text_take(&r.paper.t, text, n);
}
