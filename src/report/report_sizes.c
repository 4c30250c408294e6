/* Adds cache sizes to the report for the terminal: a table, and sentences about them. */
#include "report/report_parts.h"

#include "reusedist/attribution.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

#include <stdio.h>
#include <string.h>

#define WIDE 79
#define SIZE_COLUMNS                                                                               \
    28 /* columns for the labels of the sizes on a terminal of at least WIDE
                           columns */
#define BAND_COLUMNS 20
#define MAX_KNEES    3

/* Caches that many machines have. */
static const rd_level typical[] = {
    {"a typical L1", 32 << 10}, {"a typical L2", 1 << 20}, {"a typical L3", 32 << 20}};

size_t rdi_report_levels(const rd_profile *p, const rd_level **out) {
    const rd_details *details = rd_profile_details(p);
    bool counted = details && details->n_levels;
    *out = counted ? details->levels : typical;
    if (rd_profile_objects(p))
        return 0; /* levels are caches of a processor, not object caches */
    return counted                               ? details->n_levels
           : rd_profile_facts_of(p)->block_bytes ? RDI_COUNT(typical)
                                                 : 0;
}

/* Returns the number of blocks that level `i` holds, or 0 if the level is smaller than a block. */
static uint64_t level_blocks(const rdi_report *r, size_t i) {
    uint64_t bytes = r->facts->block_bytes;
    return r->levels[i].bytes / (bytes ? bytes : 1);
}

static double miss_at(const rdi_report *r, uint64_t blocks, bool *interpolated) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(r->p);
    return rdi_mrc_scan_at(&scan, blocks, interpolated);
}

/* Returns "about " if the miss ratio at this size is estimated, or interpolated inside a bin. */
static const char *about(const rdi_report *r, uint64_t blocks) {
    bool interpolated;
    miss_at(r, blocks, &interpolated);
    return interpolated || rd_mrc_has_band(r->p) ? "about " : "";
}

/* Returns whether a smaller cache may hit as often as one of this size, which lies inside a wide bin or at its
 * end. */
static bool is_rounded(const rdi_report *r, uint64_t blocks) {
    return blocks > 0 && rdi_mrc_size_before(r->p, blocks) + 1 < blocks;
}

const char *rdi_report_unit(const rdi_report *r) {
    return r->facts->block_bytes ? "" : " objects";
}

/* ---- the table ---- */

static bool is_wide(const rdi_report *r) {
    return r->paper.style.width >= WIDE;
}

static int size_columns(const rdi_report *r) {
    return is_wide(r) ? SIZE_COLUMNS : RDI_FACT_COLUMNS;
}

/* Adds the miss ratio and, for a sampled profile, its band. */
static void add_misses(rdi_report *r, uint64_t blocks) {
    char text[RDI_BAND_ROOM], share[RDI_FORMAT_ROOM];
    bool interpolated = false;
    double low, high;
    rdi_format_share(miss_at(r, blocks, &interpolated), share);
    snprintf(text, sizeof text, "%s%s", interpolated ? "~" : "", share);
    rdi_paper_column(&r->paper, -RDI_SHARE_COLUMNS, text);
    if (!rd_mrc_has_band(r->p))
        return;
    text[0] = '\0';
    if (rd_mrc_band(r->ctx, r->p, blocks, &low, &high) == RD_OK)
        rdi_format_band(low, high, text);
    rdi_paper_column(&r->paper, -BAND_COLUMNS, text);
}

/* Adds a row of the table, such as "L1 32 KiB 3.1 % note". `mark` comes before the size. */
static void add_size(rdi_report *r, const char *label, const char *mark, uint64_t blocks,
                     const char *note) {
    rdi_paper *paper = &r->paper;
    const rd_profile_facts *f = r->facts;
    char size[RDI_FORMAT_ROOM], text[2 * RDI_FORMAT_ROOM];
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, size_columns(r), label);
    rdi_format_size(paper, blocks, size);
    snprintf(text, sizeof text, "%s%s", mark, size);
    rdi_paper_column(paper, -RDI_CACHE_COLUMNS, text);
    if (f->bound && blocks > f->bound)
        note = "beyond the bound";
    else if (blocks < r->resolution)
        note = "the sample does not resolve this size";
    else
        add_misses(r, blocks);
    if (!note && !f->bound && blocks >= r->end)
        note =
            rd_profile_private(r->p) ? "no smaller miss ratio is possible" : "first touches only";
    rdi_text_printf(&paper->t, "%s%s\n", note ? "  " : "", note ? note : "");
}

static void add_levels(rdi_report *r) {
    const rd_profile_facts *f = r->facts;
    if (f->bound)
        add_size(r, "the bound", "", f->bound, NULL);
    for (size_t i = 0; i < r->n_levels; i++)
        if (level_blocks(r, i) > 0)
            add_size(r, r->levels[i].name, "", level_blocks(r, i), NULL);
    static const unsigned percents[] = {1, 10, 50};
    bool shares = r->n_levels == 0 && f->blocks != RD_UNKNOWN;
    for (size_t i = 0; i < RDI_COUNT(percents) && shares; i++) {
        char label[32];
        snprintf(label, sizeof label, "%u %% of all%s", percents[i],
                 is_wide(r) ? rdi_report_unit(r) : "");
        uint64_t blocks = f->blocks / 100 * percents[i] + f->blocks % 100 * percents[i] / 100;
        if (blocks > 0)
            add_size(r, label, "", blocks, NULL);
    }
}

/* Formats the words beside a size that is the end of a wide bin. They are shorter if the row would be wider than
 * the terminal. */
static void format_limit(const rdi_report *r, uint64_t blocks, char text[RDI_LIMIT_ROOM]) {
    int room =
        (int)r->paper.style.width - 4 - size_columns(r) - RDI_CACHE_COLUMNS - RDI_SHARE_COLUMNS;
    rdi_format_limit(&r->paper, rdi_mrc_size_before(r->p, blocks), text);
    if ((int)strlen(text) > room)
        rdi_format_limit(&r->paper, 0, text);
}

static void add_achievable(rdi_report *r) {
    static const unsigned percents[] = {90, 99};
    for (size_t i = 0; i < RDI_COUNT(percents) && r->facts->cold != RD_UNKNOWN && r->end; i++) {
        char label[32], note[RDI_LIMIT_ROOM];
        uint64_t blocks = rd_smallest_cache(r->p, percents[i] / 100.0);
        snprintf(label, sizeof label,
                 is_wide(r) ? "%u %% of the achievable hits" : "%u %% achievable", percents[i]);
        bool limit = is_rounded(r, blocks) && !rd_mrc_has_band(r->p);
        format_limit(r, blocks, note);
        if (blocks >= r->resolution)
            add_size(r, label, "", blocks, limit ? note : NULL);
    }
}

/* Writes up to MAX_KNEES working sets that the sample resolves to `out`, the most pronounced first,
 * and returns their number. */
static size_t find_working_sets(const rdi_report *r, rd_knee *out) {
    size_t all = rd_knees(r->p, out, MAX_KNEES), n = 0;
    for (size_t i = 0; i < all; i++)
        if (out[i].blocks >= r->resolution)
            out[n++] = out[i];
    return n;
}

static bool resolves_half(const rdi_report *r, const rd_knee *knee) {
    return knee->blocks / 2 >= r->resolution;
}

static void add_working_sets(rdi_report *r) {
    rd_knee knees[MAX_KNEES];
    size_t n = find_working_sets(r, knees);
    for (size_t i = 0; i < n; i++) {
        char before[RDI_FORMAT_ROOM], note[64] = "";
        rdi_format_share(knees[i].miss_before, before);
        if (resolves_half(r, &knees[i]))
            snprintf(note, sizeof note, "half the size: %s%s",
                     *about(r, knees[i].blocks / 2) ? "~" : "", before);
        add_size(r,
                 i == 0       ? "working set"
                 : is_wide(r) ? "another working set"
                              : "another",
                 is_rounded(r, knees[i].blocks) ? "~" : "", knees[i].blocks, *note ? note : NULL);
    }
}

void rdi_report_sizes(rdi_report *r) {
    rdi_paper *paper = &r->paper;
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, 2 + size_columns(r) + RDI_CACHE_COLUMNS,
                     r->facts->block_bytes ? "Cache sizes" : "Cache sizes in objects");
    rdi_paper_column(paper, -RDI_SHARE_COLUMNS, "misses");
    if (rd_mrc_has_band(r->p))
        rdi_paper_column(paper, -BAND_COLUMNS, "95 % band");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    add_levels(r);
    add_achievable(r);
    add_working_sets(r);
}

/* ---- in words ---- */

/* Finds the levels that the sentence names: the levels that the sample resolves, within the bound, up to the first
 * level that has all achievable hits. Their indices are from *first to the return value minus 1. */
static size_t find_telling(const rdi_report *r, size_t *first) {
    const rd_profile_facts *f = r->facts;
    size_t n = 0;
    *first = 0;
    while (n < r->n_levels && (!f->bound || level_blocks(r, n) <= f->bound)) {
        uint64_t blocks = level_blocks(r, n++);
        if (blocks == 0 || blocks < r->resolution)
            *first = n;
        else if (blocks >= r->end)
            break;
    }
    return n;
}

/* States the miss ratio at one cache size if there is no level to name: at the bound, or at a tenth of all
 * blocks. */
static void say_something(const rdi_report *r, rdi_text *words) {
    const rd_profile_facts *f = r->facts;
    uint64_t blocks = f->bound ? f->bound : f->blocks == RD_UNKNOWN ? 0 : f->blocks / 10;
    if (blocks == 0 || blocks < r->resolution)
        return;
    char size[RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
    bool interpolated;
    rdi_format_size(&r->paper, blocks, size);
    rdi_format_share(miss_at(r, blocks, &interpolated), share);
    rdi_text_printf(words, "A cache of %s%s (%s) would miss %s%s of the references. ", size,
                    rdi_report_unit(r), f->bound ? "the bound of this analysis" : "a tenth of all",
                    about(r, blocks), share);
}

/* Adds a sentence with the miss ratios of the levels. */
static void say_levels(const rdi_report *r, rdi_text *words) {
    size_t first, n = find_telling(r, &first);
    for (size_t i = first; i < n; i++) {
        uint64_t blocks = level_blocks(r, i);
        char size[RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
        bool interpolated, everything = !r->facts->bound && blocks >= r->end;
        rdi_format_share(miss_at(r, blocks, &interpolated), share);
        rdi_format_size(&r->paper, blocks, size);
        if (i > first)
            rdi_text_puts(words, i + 1 < n ? ", one of " : ", and one of ");
        rdi_text_printf(words, i > first ? "%s%s " : "A cache of %s%s would miss ", size,
                        rdi_report_unit(r));
        rdi_text_printf(words,
                        !everything ? "%s%s"
                        : rd_profile_private(r->p)
                            ? "only first touches and coherence misses (%s%s)"
                            : "only the first touches (%s%s)",
                        about(r, blocks), share);
        rdi_text_puts(words, i == first && !everything ? " of the references" : "");
    }
    if (n > first)
        rdi_text_puts(words, ". ");
    else
        say_something(r, words);
}

/* Formats a size that is needed: "less than" the smallest size that the sample resolves if `blocks` is below
 * it, "about" another size of a sample, and "at most" the end of a wide bin. */
static void format_needed(const rdi_report *r, uint64_t blocks, char *text, size_t room) {
    char size[RDI_FORMAT_ROOM];
    const char *words = blocks < r->resolution  ? "less than "
                        : rd_mrc_has_band(r->p) ? "about "
                        : is_rounded(r, blocks) ? "at most "
                                                : "";
    rdi_format_size(&r->paper, blocks < r->resolution ? r->resolution : blocks, size);
    snprintf(text, room, "%s%s%s", words, size, rdi_report_unit(r));
}

static void say_no_working_set(const rdi_report *r, rdi_text *words) {
    rdi_text_puts(words, "No cache size stands out as a working set");
    if (r->facts->cold != RD_UNKNOWN) {
        char most[64], nearly_all[64];
        format_needed(r, rd_smallest_cache(r->p, 0.9), most, sizeof most);
        format_needed(r, rd_smallest_cache(r->p, 0.99), nearly_all, sizeof nearly_all);
        rdi_text_printf(words, ": 90 %% of the achievable hits need %s, and 99 %% need %s", most,
                        nearly_all);
    }
    rdi_text_putc(words, '.');
}

bool rdi_report_is_disturbed(const rdi_report *r) {
    const rd_private_stacks *threads = rd_profile_private(r->p);
    return threads && threads->all.coherence > 0;
}

static void say_working_set(const rdi_report *r, rdi_text *words) {
    rd_knee knees[MAX_KNEES];
    if (r->end == 0 && r->facts->bound) {
        rdi_text_puts(words, "No reuse has a distance below the bound.");
        return;
    }
    if (r->end == 0 && rdi_report_is_disturbed(r)) {
        rdi_text_puts(words,
                      "Other threads store to every block before it is used again, so no cache "
                      "of any size would help.");
        return;
    }
    if (r->end == 0) {
        rdi_text_puts(words, "No block is used twice, so no cache of any size would help.");
        return;
    }
    if (find_working_sets(r, knees) == 0) {
        say_no_working_set(r, words);
        return;
    }
    char size[RDI_FORMAT_ROOM], before[RDI_FORMAT_ROOM], after[RDI_FORMAT_ROOM];
    rdi_format_size(&r->paper, knees[0].blocks, size);
    rdi_format_share(knees[0].miss_before, before);
    rdi_format_share(knees[0].miss_after, after);
    rdi_text_printf(words, "The clearest working set is %s%s%s: ",
                    is_rounded(r, knees[0].blocks) || rd_mrc_has_band(r->p) ? "about " : "", size,
                    rdi_report_unit(r));
    if (resolves_half(r, &knees[0]))
        rdi_text_printf(
            words,
            "a cache of half that size would miss %s%s, and a cache that holds it would miss %s%s.",
            about(r, knees[0].blocks / 2), before, about(r, knees[0].blocks), after);
    else
        rdi_text_printf(words, "a cache that holds it would miss %s%s.", about(r, knees[0].blocks),
                        after);
}

/* Says that the sample is too small for this trace. */
static void say_unresolved(const rdi_report *r, rdi_text *words) {
    char size[RDI_FORMAT_ROOM];
    rdi_format_size(&r->paper, r->resolution, size);
    rdi_text_printf(
        words,
        "The sample resolves caches of %s%s and more, but a smaller cache already has all "
        "achievable hits of this trace. Use a higher rate, or an exact engine.",
        size, rdi_report_unit(r));
}

void rdi_report_words(rdi_report *r) {
    rdi_text words = rdi_text_start(r->ctx);
    if (r->resolution > r->end) {
        say_unresolved(r, &words);
    } else {
        say_levels(r, &words);
        say_working_set(r, &words);
    }
    rdi_text_putc(&r->paper.t, '\n');
    if (words.status == RD_OK)
        rdi_paper_wrap(&r->paper, words.data);
    else
        r->paper.t.status = words.status;
    rdi_text_drop(&words);
}
