/* Reports object caches: miss ratios of requests and of bytes by cache size, and the numbers of requests
 * by operation and cause of their misses. See report_objects.h. */
#include "report/report_objects.h"

#include "base/json_write.h"
#include "model/mrc.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "report/chart.h"
#include "report/paper.h"
#include "report/report_stretches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SIZE_COLUMNS  12
#define RATIO_COLUMNS 16
#define BAND_COLUMNS  20
#define LABEL_COLUMNS 17

typedef struct row {
    uint64_t bytes;
    double miss_ratio, byte_miss_ratio;
    double low, high, byte_low, byte_high; /* confidence bands of a sample */
    bool interpolated;
    bool small;    /* true: the largest object does not fit */
    bool resolved; /* false: the sample says nothing about this size */
} row;

size_t rdi_objects_sizes(const rd_profile *p, uint64_t *sizes) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t least = rd_profile_objects(p)->largest, end = rdi_mrc_end(&scan), size = 1;
    size_t n = 0;
    least = rd_mrc_resolution(p) > least ? rd_mrc_resolution(p) : least;
    while (size < least)
        size *= 2;
    for (; n < RDI_OBJECTS_SIZES; size *= 2) {
        sizes[n++] = size;
        if (size >= end || size >= UINT64_C(1) << 62)
            break;
    }
    return n;
}

/* Makes one row per size, or none if there are no requests. The caller frees the rows. */
static rd_status collect_rows(rd_profile *p, const uint64_t *sizes, size_t n, row **out,
                              size_t *n_out) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    uint64_t defaults[RDI_OBJECTS_SIZES];
    if (!sizes) {
        n = rdi_objects_sizes(p, defaults);
        sizes = defaults;
    }
    n = rd_profile_facts_of(p)->references ? n : 0;
    row *rows = rdi_alloc(ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        rows[i] = (row){.bytes = sizes[i],
                        .small = sizes[i] < rd_profile_objects(p)->largest,
                        .resolved = sizes[i] >= rd_mrc_resolution(p)};
        rd_status status = rd_objects_at(ctx, p, sizes[i], &rows[i].miss_ratio,
                                         &rows[i].byte_miss_ratio, &rows[i].interpolated);
        if (status == RD_OK && rd_mrc_has_band(p))
            status = rd_mrc_band(ctx, p, sizes[i], &rows[i].low, &rows[i].high);
        if (status == RD_OK && rd_mrc_has_band(p))
            status = rd_objects_band(ctx, p, sizes[i], &rows[i].byte_low, &rows[i].byte_high);
        if (status != RD_OK) {
            rdi_free(ctx, rows);
            return status;
        }
    }
    *out = rows;
    *n_out = n;
    return RD_OK;
}

/* Adds a row of the CSV table. Fields that the sample does not resolve stay empty. */
static void add_csv_row(rdi_text *t, const row *r, bool band) {
    const double values[] = {r->miss_ratio, r->byte_miss_ratio, r->low,
                             r->high,       r->byte_low,        r->byte_high};
    rdi_text_u64(t, r->bytes);
    for (size_t i = 0; i < (band ? RDI_COUNT(values) : 2); i++) {
        rdi_text_putc(t, ',');
        if (r->resolved)
            rdi_text_double(t, values[i]);
    }
    rdi_text_putc(t, '\n');
}

rd_status rdi_report_objects_mrc_csv(rd_profile *p, const uint64_t *sizes, size_t n_sizes,
                                     char **text, size_t *n) {
    row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, sizes, n_sizes, &rows, &n_rows));
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_printf(&t, "bytes,miss_ratio,byte_miss_ratio%s\n",
                    rd_mrc_has_band(p) ? ",low,high,byte_low,byte_high" : "");
    for (size_t i = 0; i < n_rows; i++)
        add_csv_row(&t, &rows[i], rd_mrc_has_band(p));
    rdi_free(t.ctx, rows);
    return rdi_text_take(&t, text, n);
}

static void put_row(rd_json_writer *w, const row *r, bool band) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "bytes", r->bytes);
    rd_json_put_double(w, "miss_ratio", r->resolved ? r->miss_ratio : NAN);
    rd_json_put_double(w, "byte_miss_ratio", r->resolved ? r->byte_miss_ratio : NAN);
    rd_json_put_bool(w, "interpolated", r->interpolated);
    rd_json_put_bool(w, "below_largest", r->small);
    if (band && r->resolved) {
        rd_json_put_double(w, "low", r->low);
        rd_json_put_double(w, "high", r->high);
        rd_json_put_double(w, "byte_low", r->byte_low);
        rd_json_put_double(w, "byte_high", r->byte_high);
    }
    rd_json_end_object(w);
}

rd_status rdi_report_objects_mrc_json(rd_profile *p, const uint64_t *sizes, size_t n_sizes,
                                      char **text, size_t *n) {
    row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, sizes, n_sizes, &rows, &n_rows));
    const rd_objects_facts *f = rd_profile_objects(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.mrc/1");
    rd_json_put_string(&w, "weight", "bytes");
    rd_json_put_u64(&w, "requests", f->counted.requests);
    rdi_json_put_u128(&w, "requested_bytes", rdi_sum_wide(f->counted.bytes));
    rd_json_put_u64(&w, "cold", f->cold.requests);
    rd_json_put_u64(&w, "deleted", f->deleted.requests);
    rd_json_put_u64(&w, "expired", f->expired.requests);
    rd_json_put_u64(&w, "largest", f->largest);
    rd_json_put_bool(&w, "exact", rd_profile_facts_of(p)->exact);
    if (rd_mrc_resolution(p))
        rd_json_put_u64(&w, "resolution", rd_mrc_resolution(p));
    rd_json_begin_array(&w, "points", RD_JSON_LINES);
    for (size_t i = 0; i < n_rows; i++)
        put_row(&w, &rows[i], rd_mrc_has_band(p));
    rd_json_end_array(&w);
    if (rd_profile_stretches(p))
        rdi_stretches_put(&w, p, sizes, n_sizes);
    rd_json_end_object(&w);
    rdi_free(rdi_profile_ctx(p), rows);
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

static void add_ratio(rdi_paper *paper, const row *r, double ratio) {
    char share[RDI_FORMAT_ROOM], text[2 * RDI_FORMAT_ROOM];
    rdi_format_share(ratio, share);
    snprintf(text, sizeof text, "%s%s", r->interpolated ? "~" : "", share);
    rdi_paper_column(paper, -RATIO_COLUMNS, text);
}

static void add_band(rdi_paper *paper, double low, double high) {
    char text[RDI_BAND_ROOM];
    rdi_format_band(low, high, text);
    rdi_paper_column(paper, -BAND_COLUMNS, text);
}

static void add_row(rdi_paper *paper, const row *r, bool band) {
    char size[16];
    unsigned used = SIZE_COLUMNS + 2 * RATIO_COLUMNS + 2;
    rd_format_bytes((double)r->bytes, size);
    rdi_paper_column(paper, -SIZE_COLUMNS, size);
    if (!r->resolved) {
        rdi_text_puts(&paper->t, "  the sample does not resolve this size\n");
        return;
    }
    add_ratio(paper, r, r->miss_ratio);
    if (band)
        add_band(paper, r->low, r->high);
    add_ratio(paper, r, r->byte_miss_ratio);
    if (band) { /* with bands, the line has no room for a bar */
        add_band(paper, r->byte_low, r->byte_high);
        rdi_text_puts(&paper->t, r->small ? " *\n" : "\n");
        return;
    }
    rdi_text_puts(&paper->t, r->small ? " *" : "  ");
    rdi_paper_bar(paper, r->miss_ratio, paper->style.width > used ? paper->style.width - used : 1);
    rdi_text_putc(&paper->t, '\n');
}

void rdi_objects_add_largest(rdi_paper *paper, const rd_profile *p) {
    char largest[16], note[256];
    rd_format_bytes((double)rd_profile_objects(p)->largest, largest);
    snprintf(note, sizeof note,
             "* The largest object has %s. The misses of a smaller cache depend on how it treats "
             "objects that do not fit.",
             largest);
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, note);
}

void rdi_objects_add_nothing(rdi_paper *paper) {
    rdi_text_puts(&paper->t, "No requests were counted, so there are no hits or misses. Check "
                             "--warmup and --count.\n");
}

static void add_table(rdi_paper *paper, const rd_profile *p, const row *rows, size_t n) {
    bool small = false;
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, -SIZE_COLUMNS, "cache size");
    rdi_paper_column(paper, -RATIO_COLUMNS, "requests missed");
    if (rd_mrc_has_band(p))
        rdi_paper_column(paper, -BAND_COLUMNS, "95 % band");
    rdi_paper_column(paper, -RATIO_COLUMNS, "bytes missed");
    if (rd_mrc_has_band(p))
        rdi_paper_column(paper, -BAND_COLUMNS, "95 % band");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < n; i++) {
        add_row(paper, &rows[i], rd_mrc_has_band(p));
        small = small || rows[i].small;
    }
    if (small)
        rdi_objects_add_largest(paper, p);
}

static void add_label(rdi_paper *paper, const char *label) {
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, LABEL_COLUMNS, label);
}

/* Returns the word that stands before a number that a sample only estimates. */
static const char *about(const rd_objects_facts *f) {
    return f->is_sample ? "about " : "";
}

/* Adds a line about the requests `t`, or nothing if there are none. The line has their share of all counted requests,
 * their number and `what` or, if `what` is NULL, only their number and bytes. */
static void add_traffic(rdi_paper *paper, const rd_objects_facts *f, const char *label,
                        const rd_traffic *t, const char *what) {
    char count[16], bytes[16], share[RDI_FORMAT_ROOM];
    if (t->requests == 0)
        return;
    rd_format_count((double)t->requests, count);
    rd_format_bytes((double)rdi_sum_wide(t->bytes), bytes);
    rdi_format_share((double)t->requests / (double)f->counted.requests, share);
    add_label(paper, label);
    if (what)
        rdi_text_printf(&paper->t, "%s%s, %s: %s\n", about(f), share, count, what);
    else
        rdi_text_printf(&paper->t, "%s, %s\n", count, bytes);
}

/* Adds a number of requests and the name of their operation, in the singular or plural. */
static void add_count(rdi_paper *paper, uint64_t n, const char *one, const char *many) {
    char count[16];
    rd_format_count((double)n, count);
    rdi_text_printf(&paper->t, "%s %s", count, n == 1 ? one : many);
}

static void add_operations(rdi_paper *paper, const rd_objects_facts *f) {
    if (!f->has_operations)
        return;
    add_label(paper, "operations");
    add_count(paper, f->reads.requests, "read, ", "reads, ");
    add_count(paper, f->writes.requests, "write, ", "writes, ");
    add_count(paper, f->touches.requests, "touch, ", "touches, ");
    add_count(paper, f->deletes.requests, "delete; ", "deletes; ");
    rdi_text_puts(&paper->t, f->count == RD_COUNT_ALL ? "all count\n" : "reads count\n");
}

/* Adds the most bytes that an infinite cache ever held, with and without expiry. */
static void add_live(rdi_paper *paper, const rd_objects_facts *f) {
    uint64_t most = 0, most_without = 0;
    char with[16], without[16];
    for (size_t i = 0; i < f->n_live; i++) {
        most = f->live[i].bytes > most ? f->live[i].bytes : most;
        most_without = f->live[i].no_expiry > most_without ? f->live[i].no_expiry : most_without;
    }
    if (f->n_live == 0)
        return;
    rd_format_bytes((double)most, with);
    rd_format_bytes((double)most_without, without);
    add_label(paper, "live bytes");
    if (f->has_lifetimes)
        rdi_text_printf(&paper->t, "at most %s; %s if nothing expired\n", with, without);
    else
        rdi_text_printf(&paper->t, "at most %s\n", with);
}

static void add_facts(rdi_paper *paper, const rd_objects_facts *f) {
    char objects[16], largest[16];
    rd_format_count((double)f->objects, objects);
    rd_format_bytes((double)f->largest, largest);
    add_traffic(paper, f, "requests", &f->counted, NULL);
    if (f->warmup) {
        add_label(paper, "warm-up");
        rdi_text_printf(&paper->t, "%" PRIu64 " request%s not count\n", f->warmup,
                        f->warmup == 1 ? ", which does" : "s, which do");
    }
    add_operations(paper, f);
    add_label(paper, "objects");
    rdi_text_printf(&paper->t, "%s%s, the largest has %s\n", about(f), objects, largest);
    add_live(paper, f);
    add_traffic(paper, f, "cold misses", &f->cold, "first requests of an object");
    add_traffic(paper, f, "deleted", &f->deleted, "misses of deleted objects");
    add_traffic(paper, f, "expired", &f->expired, "misses of objects whose lifetime had ended");
}

/* Says how to reduce the influence of cold misses, if they are at least a tenth of the requests: the result then
 * depends on the beginning of the trace. */
static void add_cold_words(rdi_paper *paper, const rd_objects_facts *f) {
    double share = (double)f->cold.requests / (double)f->counted.requests;
    char text[RDI_FORMAT_ROOM], words[384];
    if (share < 0.1)
        return;
    rdi_format_share(share, text);
    snprintf(words, sizeof words,
             "%s%s of the requests are cold misses. This share is smaller in a longer trace, and a "
             "real cache does not start empty. Use --warmup to leave out the first requests, or a "
             "longer trace.",
             f->is_sample ? "An estimated " : "", text);
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, words);
}

static void add_sample(rdi_paper *paper, const rd_profile *p) {
    char share[RDI_FORMAT_ROOM];
    if (!rd_profile_objects(p)->is_sample)
        return;
    rdi_format_share(rd_profile_facts_of(p)->sample_rate, share);
    add_label(paper, "estimated");
    rdi_text_printf(&paper->t, "from %s of the objects, with 95 %% confidence bands\n", share);
}

static rd_status make_text(rd_profile *p, const rd_report_style *style, const uint64_t *sizes,
                           size_t n_sizes, bool with_facts, rdi_text *out) {
    const rd_objects_facts *f = rd_profile_objects(p);
    row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, sizes, n_sizes, &rows, &n_rows));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    if (f->counted.requests == 0) {
        rdi_objects_add_nothing(&paper);
    } else {
        if (with_facts)
            add_facts(&paper, f);
        add_sample(&paper, p);
        rdi_text_putc(&paper.t, '\n');
        add_table(&paper, p, rows, n_rows);
        rdi_paper_heading(&paper, "Miss ratios of requests and bytes by cache size (LRU)");
        rdi_chart_mrc(&paper, p);
        if (rd_profile_stretches(p))
            rdi_stretches_add_table(&paper, p, sizes, n_sizes);
        add_cold_words(&paper, f);
    }
    rdi_free(paper.t.ctx, rows);
    *out = paper.t;
    return RD_OK;
}

rd_status rdi_report_objects_mrc_text(rd_profile *p, const rd_report_style *style,
                                      const uint64_t *sizes, size_t n_sizes, char **text,
                                      size_t *n) {
    rdi_text t;
    RD_TRY(make_text(p, style, sizes, n_sizes, false, &t));
    return rdi_text_take(&t, text, n);
}

rd_status rdi_report_objects_text(rd_profile *p, const rd_report_style *style, char **text,
                                  size_t *n) {
    rdi_text t;
    RD_TRY(make_text(p, style, NULL, 0, true, &t));
    return rdi_text_take(&t, text, n);
}
