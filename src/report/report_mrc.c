/* Reports miss ratios at given cache sizes: a table with the curve for people, and CSV and JSON for
 * programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "model/mrc.h"
#include "profile/profile_build.h"
#include "report/chart.h"
#include "report/paper.h"
#include "report/report_objects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SIZE_COLUMNS  12
#define COUNT_COLUMNS 12
#define SHARE_COLUMNS 10
#define BAND_COLUMNS  20

typedef struct size_row {
    uint64_t blocks;
    double miss_ratio;
    bool interpolated;
    bool resolved;    /* false: the sample says nothing about this size */
    double low, high; /* confidence band of a sampled profile; -1: none */
} size_row;

#define DEFAULT_SIZES_MAX 65

/* Fills `blocks` with powers of two, up to the first size that holds every block, and returns their
 * number. With a bound, the last size is the bound. A sample begins with the first size that it
 * resolves. */
static size_t default_sizes(const rd_profile *p, uint64_t *blocks) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t end = facts->bound                  ? facts->bound
                   : facts->blocks != RD_UNKNOWN ? facts->blocks
                                                 : rdi_mrc_end(&scan);
    size_t n = 0;
    uint64_t resolution = rd_mrc_resolution(p);
    unsigned first = resolution ? rdi_bit_width(resolution - 1) : 0;
    for (unsigned i = first; i < 64; i++) {
        blocks[n++] = UINT64_C(1) << i;
        if (blocks[n - 1] >= end)
            break;
    }
    if (facts->bound && blocks[n - 1] > facts->bound)
        blocks[n - 1] = facts->bound;
    return n;
}

/* Makes one row per size, or no rows if there are no references. The caller frees the rows. */
static rd_status collect_rows(rd_profile *p, const uint64_t *blocks, size_t n, size_row **out,
                              size_t *n_out) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    uint64_t defaults[DEFAULT_SIZES_MAX];
    if (!blocks) {
        n = default_sizes(p, defaults);
        blocks = defaults;
    }
    if (rd_profile_facts_of(p)->references == 0)
        n = 0;
    size_row *rows = rdi_alloc(ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        rows[i] = (size_row){.blocks = blocks[i],
                             .resolved = blocks[i] >= rd_mrc_resolution(p),
                             .low = -1,
                             .high = -1};
        rd_status status = rd_mrc_at(ctx, p, blocks[i], &rows[i].miss_ratio, &rows[i].interpolated);
        if (status == RD_OK && rd_mrc_has_band(p) && rows[i].resolved)
            status = rd_mrc_band(ctx, p, blocks[i], &rows[i].low, &rows[i].high);
        if (status != RD_OK) {
            rdi_free(ctx, rows);
            return status;
        }
    }
    *out = rows;
    *n_out = n;
    return RD_OK;
}

/* Returns the size of a cache in bytes, which may need more than 64 bits. */
static rdi_u128 bytes_of(uint64_t blocks, uint64_t block_bytes) {
    return (rdi_u128)blocks * block_bytes;
}

/* Adds a row of the CSV table. `band` says whether the table has columns for the band. Fields that
 * the sample does not resolve stay empty. */
static void add_csv_row(rdi_text *t, const size_row *row, uint64_t block_bytes, bool band) {
    rdi_text_u64(t, row->blocks);
    rdi_text_putc(t, ',');
    if (block_bytes)
        rdi_text_u128(t, bytes_of(row->blocks, block_bytes));
    rdi_text_putc(t, ',');
    if (row->resolved)
        rdi_text_double(t, row->miss_ratio);
    if (!row->resolved) {
        rdi_text_puts(t, band ? ",," : "");
    } else if (band) {
        rdi_text_putc(t, ',');
        rdi_text_double(t, row->low);
        rdi_text_putc(t, ',');
        rdi_text_double(t, row->high);
    }
    rdi_text_putc(t, '\n');
}

rd_status rd_report_mrc_csv(rd_profile *p, const uint64_t *blocks, size_t n_blocks, char **text,
                            size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    if (rd_profile_objects(p))
        return rdi_report_objects_mrc_csv(p, blocks, n_blocks, text, n);
    size_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, blocks, n_blocks, &rows, &n_rows));
    uint64_t block_bytes = rd_profile_facts_of(p)->block_bytes;
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_printf(&t, "blocks,bytes,miss_ratio%s\n", rd_mrc_has_band(p) ? ",low,high" : "");
    for (size_t i = 0; i < n_rows; i++)
        add_csv_row(&t, &rows[i], block_bytes, rd_mrc_has_band(p));
    rdi_free(t.ctx, rows);
    return rdi_text_take(&t, text, n);
}

static void put_row(rd_json_writer *w, const size_row *row, uint64_t block_bytes) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "blocks", row->blocks);
    if (block_bytes)
        rdi_json_put_u128(w, "bytes", bytes_of(row->blocks, block_bytes));
    else
        rd_json_put_null(w, "bytes");
    rd_json_put_double(w, "miss_ratio", row->resolved ? row->miss_ratio : NAN);
    rd_json_put_bool(w, "interpolated", row->interpolated);
    if (row->low >= 0) {
        rd_json_put_double(w, "low", row->low);
        rd_json_put_double(w, "high", row->high);
    }
    rd_json_end_object(w);
}

rd_status rd_report_mrc_json(rd_profile *p, const uint64_t *blocks, size_t n_blocks, char **text,
                             size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    if (rd_profile_objects(p))
        return rdi_report_objects_mrc_json(p, blocks, n_blocks, text, n);
    size_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, blocks, n_blocks, &rows, &n_rows));
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.mrc/1");
    rd_json_put_u64(&w, "references", facts->references);
    rdi_json_put_u64_or_null(&w, "block_bytes", facts->block_bytes, 0);
    rd_json_put_bool(&w, "exact", facts->exact);
    if (rd_mrc_resolution(p))
        rd_json_put_u64(&w, "resolution", rd_mrc_resolution(p));
    rd_json_begin_array(&w, "points", RD_JSON_LINES);
    for (size_t i = 0; i < n_rows; i++)
        put_row(&w, &rows[i], facts->block_bytes);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    rdi_free(rdi_profile_ctx(p), rows);
    return rd_json_writer_take(&w, text, n);
}

static void add_text_row(rdi_paper *paper, const size_row *row) {
    char text[RDI_BAND_ROOM], share[RDI_FORMAT_ROOM];
    unsigned used = COUNT_COLUMNS + SHARE_COLUMNS + 2;
    if (paper->block_bytes) {
        rdi_format_size(paper, row->blocks, text);
        rdi_paper_column(paper, -SIZE_COLUMNS, text);
        used += SIZE_COLUMNS;
    }
    snprintf(text, sizeof text, "%" PRIu64, row->blocks);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
    if (!row->resolved) {
        rdi_text_puts(&paper->t, "  the sample does not resolve this size\n");
        return;
    }
    rdi_format_share(row->miss_ratio, share);
    snprintf(text, sizeof text, "%s%s", row->interpolated ? "~" : "", share);
    rdi_paper_column(paper, -SHARE_COLUMNS, text);
    if (row->low >= 0) {
        rdi_format_band(row->low, row->high, text);
        rdi_paper_column(paper, -BAND_COLUMNS, text);
        used += BAND_COLUMNS;
    }
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_bar(paper, row->miss_ratio,
                  paper->style.width > used ? paper->style.width - used : 1);
    rdi_text_putc(&paper->t, '\n');
}

static void add_table(rdi_paper *paper, rd_profile *p, const size_row *rows, size_t n_rows) {
    rdi_paper_ink(paper, RDI_INK_BOLD);
    if (paper->block_bytes)
        rdi_paper_column(paper, -SIZE_COLUMNS, "cache size");
    rdi_paper_column(paper, -COUNT_COLUMNS, paper->block_bytes ? "blocks" : "objects");
    rdi_paper_column(paper, -SHARE_COLUMNS, "misses");
    if (rd_mrc_has_band(p))
        rdi_paper_column(paper, -BAND_COLUMNS, "95 % band");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t i = 0; i < n_rows; i++)
        add_text_row(paper, &rows[i]);
    rdi_paper_heading(paper, "Miss ratio by cache size (fully associative, LRU)");
    rdi_chart_mrc(paper, p);
}

rd_status rd_report_mrc_text(rd_profile *p, const rd_report_style *style, const uint64_t *blocks,
                             size_t n_blocks, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    if (rd_profile_objects(p))
        return rdi_report_objects_mrc_text(p, style, blocks, n_blocks, text, n);
    size_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(collect_rows(p, blocks, n_blocks, &rows, &n_rows));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    rdi_paper_estimate(&paper, p);
    rdi_text_putc(&paper.t, '\n');
    if (rd_profile_facts_of(p)->references == 0)
        rdi_text_puts(&paper.t, "The trace has no references, so there are no hits or misses.\n");
    else
        add_table(&paper, p, rows, n_rows);
    rdi_free(paper.t.ctx, rows);
    return rdi_text_take(&paper.t, text, n);
}
