/* Reports object caches by stretches of time. See report_stretches.h. */
#include "report/report_stretches.h"

#include "profile/hist.h"
#include "profile/profile_build.h"
#include "report/report_objects.h"
#include "reusedist/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SECOND          UINT64_C(1000000000)
#define TIME_COLUMNS    14
#define REQUEST_COLUMNS 10
#define RATIO_COLUMNS   11
#define SIZES_MAX       4  /* maximum number of sizes in the text table and on the page */
#define LINES_MAX       60 /* maximum number of stretches in the text table */

/* Returns the end of a stretch, or UINT64_MAX if times do not reach that far. */
static uint64_t end_of(const rd_stretches *all, const rd_stretch *s) {
    return s->from > UINT64_MAX - all->every ? UINT64_MAX : s->from + all->every;
}

/* The cache sizes of a report, in bytes: the sizes that the caller gave, or the default sizes. */
typedef struct size_list {
    const uint64_t *sizes;
    size_t n;
    uint64_t room[RDI_OBJECTS_SIZES];
} size_list;

static void take_sizes(const rd_profile *p, const uint64_t *sizes, size_t n, size_list *out) {
    out->n = sizes ? n : rdi_objects_sizes(p, out->room);
    out->sizes = sizes ? sizes : out->room;
}

/* Chooses at most SIZES_MAX of the n sizes, at nearly equal steps through the list. Returns their number. */
static size_t choose_sizes(const uint64_t *sizes, size_t n, uint64_t *out) {
    size_t kept = n < SIZES_MAX ? n : SIZES_MAX;
    for (size_t i = 0; i < kept; i++)
        out[i] = sizes[kept == 1 ? 0 : i * (n - 1) / (kept - 1)];
    return kept;
}

/* ---- CSV and JSON ---- */

/* Adds a time in seconds, with as many decimal places as necessary. */
static void add_seconds(rdi_text *t, uint64_t time) {
    uint64_t rest = time % SECOND;
    int digits = 9;
    rdi_text_u64(t, time / SECOND);
    for (; rest && rest % 10 == 0; digits--)
        rest /= 10;
    if (rest)
        rdi_text_printf(t, ".%0*" PRIu64, digits, rest);
}

static void add_csv_row(rdi_text *t, const rd_stretches *all, const rd_stretch *s, uint64_t bytes) {
    rd_stretch_ratios at = rd_stretch_at(s, bytes);
    add_seconds(t, s->from);
    rdi_text_putc(t, ',');
    add_seconds(t, end_of(all, s));
    rdi_text_printf(t, ",%" PRIu64 ",", s->counted.requests);
    rdi_text_u128(t, rdi_sum_wide(s->counted.bytes));
    rdi_text_printf(t, ",%" PRIu64 ",%" PRIu64 ",", s->cold.requests, bytes);
    rdi_text_double(t, at.miss_ratio);
    rdi_text_putc(t, ',');
    rdi_text_double(t, at.byte_miss_ratio);
    rdi_text_putc(t, '\n');
}

rd_status rd_report_stretches_csv(rd_profile *p, const uint64_t *sizes, size_t n_sizes, char **text,
                                  size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_stretches *all = rd_profile_stretches(p);
    size_list at;
    if (!all)
        return rdi_fail(rdi_profile_ctx(p), RD_EINVAL,
                        "this profile has no stretches of time; analyze the trace with --every");
    take_sizes(p, sizes, n_sizes, &at);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "from,to,requests,requested_bytes,cold,bytes,miss_ratio,byte_miss_ratio\n");
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < at.n; k++)
            add_csv_row(&t, all, &all->rows[i], at.sizes[k]);
    return rdi_text_take(&t, text, n);
}

static void put_seconds(rd_json_writer *w, const char *key, uint64_t time) {
    rd_json_put_double(w, key, (double)time / (double)SECOND);
}

static void put_stretch(rd_json_writer *w, const rd_stretches *all, const rd_stretch *s,
                        const uint64_t *sizes, size_t n) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    put_seconds(w, "from", s->from);
    put_seconds(w, "to", end_of(all, s));
    rd_json_put_u64(w, "requests", s->counted.requests);
    rdi_json_put_u128(w, "requested_bytes", rdi_sum_wide(s->counted.bytes));
    rd_json_put_u64(w, "cold", s->cold.requests);
    rd_json_put_u64(w, "deleted", s->deleted.requests);
    rd_json_put_u64(w, "expired", s->expired.requests);
    rd_json_begin_array(w, "points", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++) {
        rd_stretch_ratios at = rd_stretch_at(s, sizes[i]);
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "bytes", sizes[i]);
        rd_json_put_double(w, "miss_ratio", at.miss_ratio);
        rd_json_put_double(w, "byte_miss_ratio", at.byte_miss_ratio);
        rd_json_put_bool(w, "interpolated", at.interpolated);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

void rdi_stretches_put(rd_json_writer *w, const rd_profile *p, const uint64_t *sizes, size_t n) {
    const rd_stretches *all = rd_profile_stretches(p);
    size_list at;
    take_sizes(p, sizes, n, &at);
    rd_json_begin_array(w, "stretches", RD_JSON_LINES);
    for (size_t i = 0; i < all->n; i++)
        put_stretch(w, all, &all->rows[i], at.sizes, at.n);
    rd_json_end_array(w);
}

void rdi_stretches_put_page(rd_json_writer *w, const rd_profile *p) {
    const rd_stretches *all = rd_profile_stretches(p);
    size_list at;
    uint64_t chosen[SIZES_MAX];
    take_sizes(p, NULL, 0, &at);
    size_t n = choose_sizes(at.sizes, at.n, chosen);
    rd_json_begin_object(w, "stretches", RD_JSON_INLINE);
    put_seconds(w, "every", all->every);
    rdi_json_put_u64s(w, "sizes", chosen, n);
    rd_json_begin_array(w, "rows", RD_JSON_INLINE);
    for (size_t i = 0; i < all->n; i++) {
        const rd_stretch *s = &all->rows[i];
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        put_seconds(w, NULL, s->from);
        rd_json_put_u64(w, NULL, s->counted.requests);
        for (size_t k = 0; k < n; k++)
            rd_json_put_double(w, NULL, rd_stretch_at(s, chosen[k]).miss_ratio);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

/* ---- text ---- */

/* Formats a time since the beginning: "26:05:00", "0:00:01.5". */
static void format_elapsed(uint64_t time, char *text, size_t room) {
    uint64_t seconds = time / SECOND;
    int used = snprintf(text, room, "%" PRIu64 ":%02d:%02d", seconds / 3600,
                        (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (time % SECOND && used > 0 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, ".%03d", (int)(time % SECOND / 1000000));
}

/* Adds the headings of the columns. The table of all requests explains the mark *. */
static void add_head(rdi_paper *paper, const rd_profile *p, const uint64_t *sizes, size_t n) {
    uint64_t largest = rd_profile_objects(p)->largest;
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, -TIME_COLUMNS, "from");
    rdi_paper_column(paper, -REQUEST_COLUMNS, "requests");
    for (size_t i = 0; i < n; i++) {
        char size[16], text[20];
        rd_format_bytes((double)sizes[i], size);
        snprintf(text, sizeof text, "%s%s", size, sizes[i] < largest ? " *" : "");
        rdi_paper_column(paper, -RATIO_COLUMNS, text);
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_line(rdi_paper *paper, const rd_stretch *s, uint64_t began, const uint64_t *sizes,
                     size_t n) {
    char text[2 * RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM];
    format_elapsed(s->from - began, text, sizeof text);
    rdi_paper_column(paper, -TIME_COLUMNS, text);
    rd_format_count((double)s->counted.requests, text);
    rdi_paper_column(paper, -REQUEST_COLUMNS, text);
    for (size_t i = 0; i < n; i++) {
        rd_stretch_ratios at = rd_stretch_at(s, sizes[i]);
        rdi_format_share(at.miss_ratio, share);
        snprintf(text, sizeof text, "%s%s", at.interpolated ? "~" : "", share);
        rdi_paper_column(paper, -RATIO_COLUMNS, text);
    }
    rdi_text_putc(&paper->t, '\n');
}

/* Says for how long there were no counted requests before stretch i, if a whole stretch had none. */
static void add_gap(rdi_paper *paper, const rd_stretches *all, size_t i) {
    char text[2 * RDI_FORMAT_ROOM];
    uint64_t before = end_of(all, &all->rows[i - 1]), gap = all->rows[i].from - before;
    if (gap == 0)
        return;
    format_elapsed(before - all->rows[0].from, text, sizeof text);
    rdi_paper_column(paper, -TIME_COLUMNS, text);
    format_elapsed(gap, text, sizeof text);
    rdi_text_printf(&paper->t, "  no requests for %s\n", text);
}

void rdi_stretches_add_table(rdi_paper *paper, const rd_profile *p, const uint64_t *sizes,
                             size_t n) {
    const rd_stretches *all = rd_profile_stretches(p);
    size_list at;
    take_sizes(p, sizes, n, &at);
    uint64_t chosen[SIZES_MAX];
    char heading[128], every[2 * RDI_FORMAT_ROOM];
    n = choose_sizes(at.sizes, at.n, chosen);
    format_elapsed(all->every, every, sizeof every);
    snprintf(heading, sizeof heading, "Miss ratio of requests by cache size, in stretches of %s",
             every);
    rdi_paper_heading(paper, heading);
    add_head(paper, p, chosen, n);
    for (size_t i = 0; i < all->n && i < LINES_MAX; i++) {
        if (i)
            add_gap(paper, all, i);
        add_line(paper, &all->rows[i], all->rows[0].from, chosen, n);
    }
    if (all->n > LINES_MAX)
        rdi_text_printf(
            &paper->t,
            "\nThe table has no room for the last %zu of the %zu stretches; for all of them, "
            "use mrc --every --out=csv\n",
            all->n - LINES_MAX, all->n);
}
