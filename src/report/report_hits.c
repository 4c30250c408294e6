/* Reports the smallest caches with given hit ratios: a table for people, CSV and JSON for
 * programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "model/mrc.h"
#include "profile/profile_build.h"
#include "report/paper.h"
#include "report/report_objects.h"
#include "reusedist/objects.h"
#include "reusedist/sharing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define HITS_COLUMNS  12
#define SIZE_COLUMNS  14
#define COUNT_COLUMNS 14

/* An answer, and the range of sizes that the band of a sampled profile allows. An end of the range
 * is RD_UNKNOWN if it is unknown or if the profile has no band. */
typedef struct hits_row {
    rd_hits_answer answer;
    uint64_t low, high;
    uint64_t above; /* the smallest cache is larger; answer.blocks - 1 if answer.blocks is exact */
} hits_row;

static double ratio_of(const rd_hits_answer *answer) {
    return answer->reachable ? answer->requested : answer->hit_ratio;
}

/* Returns whether the smallest cache may be smaller than the size, which is the end of a bin. */
static bool is_limit(const hits_row *row) {
    return row->answer.blocks > 0 && row->above + 1 < row->answer.blocks;
}

static rd_status find_row(rd_profile *p, double hits, hits_row *row) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    *row = (hits_row){.low = RD_UNKNOWN, .high = RD_UNKNOWN};
    RD_TRY(rd_cache_for_hits(ctx, p, hits, &row->answer));
    row->above = rdi_mrc_size_before(p, row->answer.blocks);
    if (!rd_mrc_has_band(p))
        return RD_OK;
    return rd_cache_for_hits_band(ctx, p, ratio_of(&row->answer), &row->low, &row->high);
}

/* Makes a row for each hit ratio. The caller frees the rows. */
static rd_status collect_rows(rd_profile *p, const double *hits, size_t n, hits_row **out) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    hits_row *rows = rdi_alloc(ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        rd_status status = find_row(p, hits[i], &rows[i]);
        if (status != RD_OK) {
            rdi_free(ctx, rows);
            return status;
        }
    }
    *out = rows;
    return RD_OK;
}

/* ---- CSV and JSON ---- */

/* Returns whether the sample of the profile resolves the size. */
static bool is_resolved(const rd_profile *p, const rd_hits_answer *answer) {
    return answer->blocks >= rd_mrc_resolution(p);
}

rd_status rd_report_hits_csv(rd_profile *p, const double *hits, size_t n_hits, char **text,
                             size_t *n) {
    hits_row *rows = NULL;
    RDI_NEED(rdi_profile_ctx(p), p, hits, text, n);
    RD_TRY(collect_rows(p, hits, n_hits, &rows));
    uint64_t block_bytes = rd_profile_facts_of(p)->block_bytes;
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    bool band = rd_mrc_has_band(p);
    rdi_text_puts(&t, "hits,blocks,bytes,requested");
    rdi_text_puts(&t, band ? ",low_blocks,high_blocks\n" : "\n");
    for (size_t i = 0; i < n_hits; i++) {
        rdi_text_double(&t, ratio_of(&rows[i].answer));
        rdi_text_putc(&t, ',');
        if (is_resolved(p, &rows[i].answer))
            rdi_text_u64(&t, rows[i].answer.blocks);
        rdi_text_putc(&t, ',');
        if (block_bytes && is_resolved(p, &rows[i].answer))
            rdi_text_u128(&t, (rdi_u128)rows[i].answer.blocks * block_bytes);
        rdi_text_putc(&t, ',');
        rdi_text_double(&t, rows[i].answer.requested);
        rdi_text_puts(&t, band ? "," : "");
        if (rows[i].low != RD_UNKNOWN)
            rdi_text_u64(&t, rows[i].low);
        rdi_text_puts(&t, band ? "," : "");
        if (rows[i].high != RD_UNKNOWN)
            rdi_text_u64(&t, rows[i].high);
        rdi_text_putc(&t, '\n');
    }
    rdi_free(t.ctx, rows);
    return rdi_text_take(&t, text, n);
}

/* Returns whether the largest object does not fit into the cache. Returns false for size 0, which is no cache. */
static bool is_below_largest(const rd_profile *p, const rd_hits_answer *answer) {
    const rd_objects_facts *f = rd_profile_objects(p);
    return f && answer->blocks > 0 && answer->blocks < f->largest;
}

static void put_answer(rd_json_writer *w, const rd_profile *p, const hits_row *row) {
    const rd_hits_answer *answer = &row->answer;
    uint64_t block_bytes = rd_profile_facts_of(p)->block_bytes;
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_double(w, "requested", answer->requested);
    rd_json_put_bool(w, "reachable", answer->reachable);
    rd_json_put_double(w, "hit_ratio", answer->hit_ratio);
    rd_json_put_bool(w, "at_most", is_limit(row));
    rdi_json_put_u64_or_null(w, "blocks", is_resolved(p, answer) ? answer->blocks : RD_UNKNOWN,
                             RD_UNKNOWN);
    if (block_bytes && is_resolved(p, answer))
        rdi_json_put_u128(w, "bytes", (rdi_u128)answer->blocks * block_bytes);
    else
        rd_json_put_null(w, "bytes");
    if (rd_mrc_has_band(p)) {
        rdi_json_put_u64_or_null(w, "low_blocks", row->low, RD_UNKNOWN);
        rdi_json_put_u64_or_null(w, "high_blocks", row->high, RD_UNKNOWN);
    }
    if (rd_profile_objects(p))
        rd_json_put_bool(w, "below_largest", is_below_largest(p, answer));
    rd_json_end_object(w);
}

rd_status rd_report_hits_json(rd_profile *p, const double *hits, size_t n_hits, char **text,
                              size_t *n) {
    hits_row *rows = NULL;
    RDI_NEED(rdi_profile_ctx(p), p, hits, text, n);
    RD_TRY(collect_rows(p, hits, n_hits, &rows));
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.hits/1");
    rd_json_put_u64(&w, "references", facts->references);
    rdi_json_put_u64_or_null(&w, "block_bytes", facts->block_bytes, 0);
    bool exact = facts->exact;
    for (size_t i = 0; i < n_hits; i++)
        exact = exact && !is_limit(&rows[i]);
    rd_json_put_bool(&w, "exact", exact);
    rd_json_begin_array(&w, "caches", RD_JSON_LINES);
    for (size_t i = 0; i < n_hits; i++)
        put_answer(&w, p, &rows[i]);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    rdi_free(rdi_profile_ctx(p), rows);
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

/* Adds the range of sizes of a row, with a unit if blocks have a size in bytes. */
static void add_range(rdi_paper *paper, const rd_profile *p, const hits_row *row) {
    char low[RDI_FORMAT_ROOM], high[RDI_FORMAT_ROOM];
    rdi_format_size(paper, row->low != RD_UNKNOWN ? row->low : rd_mrc_resolution(p), low);
    rdi_text_printf(&paper->t, "  %s%s", row->low != RD_UNKNOWN ? "" : "<", low);
    if (row->high == RD_UNKNOWN) {
        rdi_text_puts(&paper->t, " or more");
        return;
    }
    rdi_format_size(paper, row->high, high);
    rdi_text_printf(&paper->t, " .. %s", high);
}

/* Says between which sizes the smallest cache lies. Rows of object caches do not need this, because their bins
 * are narrow. */
static void add_limit(rdi_paper *paper, uint64_t above) {
    char limit[RDI_LIMIT_ROOM];
    rdi_format_limit(paper, above, limit);
    rdi_text_printf(&paper->t, "  %s", limit);
}

/* Returns the words beside the best hit ratio, if no cache has the requested one. */
static const char *best_of(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    return f->bound     ? "  the best within the bound"
           : f->skipped ? "  the best in the recorded parts"
                        : "  the best possible";
}

static void add_row(rdi_paper *paper, const rd_profile *p, const hits_row *row) {
    const rd_hits_answer *answer = &row->answer;
    uint64_t resolution = rd_mrc_resolution(p);
    bool resolved = is_resolved(p, answer);
    char text[2 * RDI_FORMAT_ROOM], size[RDI_FORMAT_ROOM];
    rdi_format_share(ratio_of(answer), text);
    rdi_paper_column(paper, -HITS_COLUMNS, text);
    if (paper->block_bytes) {
        rdi_format_size(paper, resolved ? answer->blocks : resolution, size);
        snprintf(text, sizeof text, "%s%s", resolved ? "" : "<", size);
        rdi_paper_column(paper, -SIZE_COLUMNS, text);
    }
    snprintf(text, sizeof text, "%s%" PRIu64, resolved ? "" : "<",
             resolved ? answer->blocks : resolution);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
    if (rd_mrc_has_band(p))
        add_range(paper, p, row);
    else if (is_limit(row) && !rd_profile_objects(p))
        add_limit(paper, row->above);
    rdi_text_puts(&paper->t, is_below_largest(p, answer) ? " *" : "");
    if (!answer->reachable)
        rdi_text_puts(&paper->t, best_of(p));
    rdi_text_putc(&paper->t, '\n');
}

static bool is_sample_of_blocks(const rd_profile_facts *f) {
    return f->sample_rate > 0 && f->sample_rate < 1;
}

/* Says why no cache has the requested hit ratio, and whether this is known of the whole run. */
static void add_reason(rdi_paper *paper, const rd_profile *p, const rd_hits_answer *answer) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    const char *others = rd_profile_private(p) ? " or coherence misses" : "";
    char requested[RDI_FORMAT_ROOM], cold[RDI_FORMAT_ROOM], size[RDI_FORMAT_ROOM], text[400];
    rdi_format_share(answer->requested, requested);
    rdi_format_share(answer->cold, cold);
    rdi_format_size(paper, f->bound, size);
    if (f->bound)
        snprintf(
            text, sizeof text,
            "No cache of up to %s%s, the bound of the analysis, can serve %s of %s references.",
            size, paper->block_bytes ? "" : " objects", requested,
            f->skipped ? "the recorded" : "all");
    else if (f->skipped)
        snprintf(text, sizeof text,
                 "No cache can serve %s of the recorded references: %s are first touches%s in the "
                 "recorded parts of the run. Some of these may be reuses of blocks from the parts "
                 "that the recorder skipped, so caches may serve more references of the whole run.",
                 requested, cold, others);
    else
        snprintf(text, sizeof text,
                 "%s can serve %s of all references. Every cache misses the %s that are first "
                 "touches%s%s.",
                 is_sample_of_blocks(f) ? "According to the sample, no cache" : "No cache",
                 requested, cold, others, is_sample_of_blocks(f) ? ", an estimate" : "");
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, text);
}

/* Says why no object cache has the requested hit ratio. */
static void add_object_reason(rdi_paper *paper, const rd_hits_answer *answer,
                              const rd_objects_facts *f) {
    char requested[RDI_FORMAT_ROOM], cold[RDI_FORMAT_ROOM], deleted[RDI_FORMAT_ROOM],
        expired[RDI_FORMAT_ROOM], text[320];
    double all = (double)f->counted.requests;
    rdi_format_share(answer->requested, requested);
    rdi_format_share((double)f->cold.requests / all, cold);
    rdi_format_share((double)f->deleted.requests / all, deleted);
    rdi_format_share((double)f->expired.requests / all, expired);
    snprintf(
        text, sizeof text,
        "%s can serve %s of all requests. Every cache misses the first request of each "
        "object (%s of all requests) and requests for deleted (%s) and expired objects (%s)%s.",
        f->is_sample ? "According to the sample, no cache" : "No cache", requested, cold, deleted,
        expired, f->is_sample ? "; these are estimates" : "");
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, text);
}

rd_status rd_report_hits_text(rd_profile *p, const rd_report_style *style, const double *hits,
                              size_t n_hits, char **text, size_t *n) {
    hits_row *rows = NULL;
    RDI_NEED(rdi_profile_ctx(p), p, hits, text, n);
    RD_TRY(collect_rows(p, hits, n_hits, &rows));
    const rd_hits_answer *unreachable = NULL;
    bool small = false;
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    rdi_text_putc(&paper.t, '\n');
    rdi_paper_ink(&paper, RDI_INK_BOLD);
    rdi_paper_column(&paper, -HITS_COLUMNS, "hits");
    if (paper.block_bytes)
        rdi_paper_column(&paper, -SIZE_COLUMNS, "cache size");
    const rd_objects_facts *objects = rd_profile_objects(p);
    rdi_paper_column(&paper, -COUNT_COLUMNS,
                     objects             ? "bytes"
                     : paper.block_bytes ? "blocks"
                                         : "objects");
    if (rd_mrc_has_band(p))
        rdi_text_puts(&paper.t, "  95 % band");
    rdi_paper_ink(&paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper.t, '\n');
    for (size_t i = 0; i < n_hits; i++) {
        add_row(&paper, p, &rows[i]);
        small = small || is_below_largest(p, &rows[i].answer);
        if (!rows[i].answer.reachable &&
            (!unreachable || rows[i].answer.requested < unreachable->requested))
            unreachable = &rows[i].answer;
    }
    if (objects && objects->counted.requests == 0)
        rdi_objects_add_nothing(&paper);
    else if (unreachable && objects)
        add_object_reason(&paper, unreachable, objects);
    else if (unreachable)
        add_reason(&paper, p, unreachable);
    if (small)
        rdi_objects_add_largest(&paper, p);
    rdi_free(paper.t.ctx, rows);
    return rdi_text_take(&paper.t, text, n);
}
