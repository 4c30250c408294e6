/* Reports the estimated miss ratios of set-associative caches beside the miss ratios of fully
 * associative caches: a table for people, and CSV and JSON for programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "model/mrc.h"
#include "profile/profile_build.h"
#include "report/paper.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SIZE_COLUMNS  11
#define COUNT_COLUMNS 12
#define SHARE_COLUMNS 13
#define BAND_COLUMNS  20

typedef struct ways_row {
    uint64_t blocks;
    double estimate, full; /* miss ratio with these ways, and fully associative */
    bool interpolated, full_interpolated;
    bool resolved;    /* false: the sample says nothing about this size */
    double low, high; /* confidence band of the estimate from a sample; -1: none */
} ways_row;

static rd_status find_row(rd_profile *p, uint64_t ways, uint64_t blocks, ways_row *row) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    *row = (ways_row){
        .blocks = blocks, .resolved = blocks >= rd_mrc_resolution(p), .low = -1, .high = -1};
    if (ways == 0 || blocks == 0 || blocks % ways)
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64 " blocks cannot consist of sets with %" PRIu64
                        " ways; give a multiple of %" PRIu64 " blocks",
                        blocks, ways, ways);
    RD_TRY(rd_mrc_ways(ctx, p, blocks / ways, ways, &row->estimate, &row->interpolated));
    RD_TRY(rd_mrc_at(ctx, p, blocks, &row->full, &row->full_interpolated));
    if (rd_mrc_has_band(p) && row->resolved)
        RD_TRY(rd_mrc_ways_band(ctx, p, blocks / ways, ways, &row->low, &row->high));
    return RD_OK;
}

#define DEFAULT_SIZES_MAX 64

/* Makes rows for 1, 2, 4 ... sets: up to the first size that holds every block or, with a bound, up
 * to the last size that the profile can answer. */
static rd_status find_default_rows(rd_profile *p, uint64_t ways, ways_row *rows, size_t *n) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t end = f->bound ? f->bound : f->blocks != RD_UNKNOWN ? f->blocks : rdi_mrc_end(&scan);
    *n = 0;
    for (uint64_t blocks = ways; *n < DEFAULT_SIZES_MAX; blocks *= 2) {
        rd_status status = RD_OK;
        if (blocks >= rd_mrc_resolution(p))
            status = find_row(p, ways, blocks, &rows[(*n)++]);
        if (status != RD_OK && f->bound && *n > 1) {
            --*n;
            break;
        }
        RD_TRY(status);
        if (blocks >= end || blocks > UINT64_MAX / 2)
            break;
    }
    return RD_OK;
}

/* Makes one row per size, or no rows if there are no references. The caller frees the rows. */
static rd_status collect_rows(rd_profile *p, uint64_t ways, const uint64_t *blocks, size_t n,
                              ways_row **out, size_t *n_out) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    bool empty = rd_profile_facts_of(p)->references == 0;
    ways_row *rows = rdi_alloc(ctx, n > DEFAULT_SIZES_MAX ? n : DEFAULT_SIZES_MAX, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    rd_status status = RD_OK;
    if (empty)
        n = 0;
    else if (!blocks)
        status = find_default_rows(p, ways, rows, &n);
    for (size_t i = 0; blocks && i < n && status == RD_OK; i++)
        status = find_row(p, ways, blocks[i], &rows[i]);
    if (status != RD_OK) {
        rdi_free(ctx, rows);
        return status;
    }
    *out = rows;
    *n_out = n;
    return RD_OK;
}

/* ---- CSV and JSON ---- */

static void add_csv_row(rdi_text *t, const ways_row *row, uint64_t ways, uint64_t block_bytes,
                        bool band) {
    rdi_text_u64(t, row->blocks);
    rdi_text_putc(t, ',');
    if (block_bytes)
        rdi_text_u128(t, (rdi_u128)row->blocks * block_bytes);
    const double numbers[] = {row->estimate, row->low, row->high};
    for (size_t i = 0; i < (band ? 3 : 1); i++) {
        rdi_text_putc(t, ',');
        if (row->resolved)
            rdi_text_double(t, numbers[i]);
    }
    rdi_text_putc(t, ',');
    rdi_text_u64(t, ways);
    rdi_text_putc(t, ',');
    if (row->resolved)
        rdi_text_double(t, row->full);
    rdi_text_putc(t, '\n');
}

rd_status rd_report_ways_csv(rd_profile *p, uint64_t ways, const uint64_t *blocks, size_t n_blocks,
                             char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    ways_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, ways, blocks, n_blocks, &rows, &n_rows));
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_printf(&t, "blocks,bytes,miss_ratio%s,ways,fully_associative\n",
                    rd_mrc_has_band(p) ? ",low,high" : "");
    for (size_t i = 0; i < n_rows; i++)
        add_csv_row(&t, &rows[i], ways, rd_profile_facts_of(p)->block_bytes, rd_mrc_has_band(p));
    rdi_free(t.ctx, rows);
    return rdi_text_take(&t, text, n);
}

static void put_row(rd_json_writer *w, const ways_row *row, uint64_t ways, uint64_t block_bytes) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "blocks", row->blocks);
    if (block_bytes)
        rdi_json_put_u128(w, "bytes", (rdi_u128)row->blocks * block_bytes);
    else
        rd_json_put_null(w, "bytes");
    rd_json_put_u64(w, "sets", row->blocks / ways);
    rd_json_put_double(w, "miss_ratio", row->resolved ? row->estimate : NAN);
    rd_json_put_bool(w, "interpolated", row->interpolated);
    rd_json_put_double(w, "fully_associative", row->resolved ? row->full : NAN);
    if (row->low >= 0) {
        rd_json_put_double(w, "low", row->low);
        rd_json_put_double(w, "high", row->high);
    }
    rd_json_end_object(w);
}

rd_status rd_report_ways_json(rd_profile *p, uint64_t ways, const uint64_t *blocks, size_t n_blocks,
                              char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    ways_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, ways, blocks, n_blocks, &rows, &n_rows));
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.ways/1");
    rd_json_put_u64(&w, "references", facts->references);
    rdi_json_put_u64_or_null(&w, "block_bytes", facts->block_bytes, 0);
    rd_json_put_u64(&w, "ways", ways);
    rd_json_begin_array(&w, "points", RD_JSON_LINES);
    for (size_t i = 0; i < n_rows; i++)
        put_row(&w, &rows[i], ways, facts->block_bytes);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    rdi_free(rdi_profile_ctx(p), rows);
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

static void add_share(rdi_paper *paper, double share, bool interpolated) {
    char text[2 * RDI_FORMAT_ROOM], number[RDI_FORMAT_ROOM];
    rdi_format_share(share, number);
    snprintf(text, sizeof text, "%s%s", interpolated ? "~" : "", number);
    rdi_paper_column(paper, -SHARE_COLUMNS, text);
}

static void add_text_row(rdi_paper *paper, const ways_row *row, uint64_t ways) {
    char text[RDI_BAND_ROOM];
    if (paper->block_bytes) {
        rdi_format_size(paper, row->blocks, text);
        rdi_paper_column(paper, -SIZE_COLUMNS, text);
    }
    snprintf(text, sizeof text, "%" PRIu64, row->blocks);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
    snprintf(text, sizeof text, "%" PRIu64, row->blocks / ways);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
    if (!row->resolved) {
        rdi_text_puts(&paper->t, "  the sample does not resolve this size\n");
        return;
    }
    add_share(paper, row->estimate, row->interpolated);
    add_share(paper, row->full, row->full_interpolated);
    if (row->low >= 0) {
        rdi_format_band(row->low, row->high, text);
        rdi_paper_column(paper, -BAND_COLUMNS, text);
    }
    rdi_text_putc(&paper->t, '\n');
}

static void add_table(rdi_paper *paper, const rd_profile *p, uint64_t ways, const ways_row *rows,
                      size_t n_rows) {
    char title[RDI_FORMAT_ROOM + 8];
    snprintf(title, sizeof title, "%" PRIu64 " way%s", ways, ways == 1 ? "" : "s");
    rdi_paper_ink(paper, RDI_INK_BOLD);
    if (paper->block_bytes)
        rdi_paper_column(paper, -SIZE_COLUMNS, "cache size");
    rdi_paper_column(paper, -COUNT_COLUMNS, paper->block_bytes ? "blocks" : "objects");
    rdi_paper_column(paper, -COUNT_COLUMNS, "sets");
    rdi_paper_column(paper, -SHARE_COLUMNS, title);
    rdi_paper_column(paper, -SHARE_COLUMNS, "fully assoc.");
    if (rd_mrc_has_band(p))
        rdi_paper_column(paper, -BAND_COLUMNS, "95 % band");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < n_rows; i++)
        add_text_row(paper, &rows[i], ways);
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, "Misses with sets are estimated from the reuse distances (Smith 1978), "
                          "as if blocks mapped to sets at random. " RD_WAYS_WARNING ".");
}

rd_status rd_report_ways_text(rd_profile *p, const rd_report_style *style, uint64_t ways,
                              const uint64_t *blocks, size_t n_blocks, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    ways_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, ways, blocks, n_blocks, &rows, &n_rows));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    rdi_paper_estimate(&paper, p);
    rdi_text_putc(&paper.t, '\n');
    if (rd_profile_facts_of(p)->references == 0)
        rdi_text_puts(&paper.t, "The trace has no references, so there are no hits or misses.\n");
    else
        add_table(&paper, p, ways, rows, n_rows);
    rdi_free(paper.t.ctx, rows);
    return rdi_text_take(&paper.t, text, n);
}
