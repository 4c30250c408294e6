/* Reports the cost of object caches: the cheapest size and a table of costs, as text, CSV and JSON. */
#include "base/json_write.h"
#include "base/number.h"
#include "profile/profile_build.h"
#include "report/paper.h"
#include "report/report_objects.h"
#include "reusedist/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE_COLUMNS  12
#define RATIO_COLUMNS 17
#define COST_COLUMNS  14
#define AROUND        6 /* maximum number of sizes that sizes_around() chooses */

typedef struct cost_table {
    rd_object_cost cheapest;
    rd_object_cost *rows; /* in ascending order of sizes; one row is the cheapest size */
    size_t n;
} cost_table;

/* Fills `sizes` with 0 (no cache), a quarter, half, twice and four times the cheapest size. If it is
 * cheapest to have no cache, fills it with 0 and one, two and four times the size of the largest object.
 * Returns the number of sizes. */
static size_t sizes_around(const rd_profile *p, uint64_t cheapest, uint64_t sizes[AROUND]) {
    uint64_t unit = cheapest ? cheapest : rd_profile_objects(p)->largest;
    size_t n = 0;
    sizes[n++] = 0;
    for (unsigned quarters = 1; quarters <= 16; quarters *= 2) {
        double size = (double)unit * quarters / 4;
        bool useful = size >= 1 && size < 0x1p62 && (cheapest || quarters >= 4);
        if (useful && quarters != 4)
            sizes[n++] = (uint64_t)size;
        else if (useful && !cheapest)
            sizes[n++] = unit;
    }
    return n;
}

static int by_size(const void *a, const void *b) {
    const rd_object_cost *x = a, *y = b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Adds a row for each size and, if it is not among them, for the cheapest size. Sorts the rows. */
static rd_status add_rows(rd_profile *p, const rd_object_prices *prices, const uint64_t *sizes,
                          size_t n, cost_table *table) {
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        RD_TRY(rd_objects_cost(rdi_profile_ctx(p), p, prices, sizes[i], &table->rows[table->n++]));
        found = found || sizes[i] == table->cheapest.bytes;
    }
    if (!found)
        table->rows[table->n++] = table->cheapest;
    qsort(table->rows, table->n, sizeof *table->rows, by_size);
    return RD_OK;
}

/* Computes the costs at the sizes, or around the cheapest size. The caller frees the rows. */
static rd_status make_table(rd_profile *p, const rd_object_prices *prices, const uint64_t *sizes,
                            size_t n, cost_table *out) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    uint64_t around[AROUND];
    *out = (cost_table){.n = 0};
    RD_TRY(rd_objects_cheapest(ctx, p, prices, &out->cheapest));
    if (!sizes) {
        n = sizes_around(p, out->cheapest.bytes, around);
        sizes = around;
    }
    out->rows = rdi_alloc(ctx, n + 1, sizeof *out->rows);
    if (!out->rows)
        return RD_ENOMEM;
    rd_status status = add_rows(p, prices, sizes, n, out);
    if (status != RD_OK)
        rdi_free(ctx, out->rows);
    return status;
}

static bool is_cheapest(const cost_table *table, const rd_object_cost *c) {
    return c->bytes == table->cheapest.bytes;
}

/* ---- CSV and JSON ---- */

rd_status rd_report_cost_csv(rd_profile *p, const rd_object_prices *prices, const uint64_t *sizes,
                             size_t n_sizes, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, prices, text, n);
    cost_table table;
    RD_TRY(make_table(p, prices, sizes, n_sizes, &table));
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "bytes,miss_ratio,memory_cost,miss_cost,total_cost,cheapest\n");
    for (size_t i = 0; i < table.n; i++) {
        const rd_object_cost *c = &table.rows[i];
        const double values[] = {c->miss_ratio, c->memory, c->misses, c->total};
        rdi_text_u64(&t, c->bytes);
        for (size_t k = 0; k < RDI_COUNT(values); k++) {
            rdi_text_putc(&t, ',');
            rdi_text_double(&t, values[k]);
        }
        rdi_text_puts(&t, is_cheapest(&table, c) ? ",yes\n" : ",no\n");
    }
    rdi_free(t.ctx, table.rows);
    return rdi_text_take(&t, text, n);
}

static void put_cost(rd_json_writer *w, const char *key, const rd_object_cost *c) {
    rd_json_begin_object(w, key, RD_JSON_INLINE);
    rd_json_put_u64(w, "bytes", c->bytes);
    rd_json_put_double(w, "miss_ratio", c->miss_ratio);
    rd_json_put_double(w, "memory_cost", c->memory);
    rd_json_put_double(w, "miss_cost", c->misses);
    rd_json_put_double(w, "total_cost", c->total);
    rd_json_put_bool(w, "interpolated", c->interpolated);
    rd_json_put_bool(w, "below_largest", c->below_largest);
    rd_json_end_object(w);
}

rd_status rd_report_cost_json(rd_profile *p, const rd_object_prices *prices, const uint64_t *sizes,
                              size_t n_sizes, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, prices, text, n);
    cost_table table;
    RD_TRY(make_table(p, prices, sizes, n_sizes, &table));
    const rd_objects_facts *f = rd_profile_objects(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.cost/1");
    rd_json_put_double(&w, "cost_per_gb", prices->per_gb);
    rd_json_put_double(&w, "cost_per_miss", prices->per_miss);
    rd_json_put_u64(&w, "requests", f->counted.requests);
    rd_json_put_u64(&w, "largest", f->largest);
    rd_json_put_bool(&w, "exact", rd_profile_facts_of(p)->exact);
    put_cost(&w, "cheapest", &table.cheapest);
    rd_json_begin_array(&w, "points", RD_JSON_LINES);
    for (size_t i = 0; i < table.n; i++)
        put_cost(&w, NULL, &table.rows[i]);
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    rdi_free(rdi_profile_ctx(p), table.rows);
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

/* Formats a cost: "1234.50" from 1 to 10^9, "0.800" below 1, otherwise "1.235e+12". */
static void format_cost(double cost, char *text) {
    if (cost == 0 || (cost >= 1 && cost < 1e9))
        rdi_snprintf(text, RDI_FORMAT_ROOM, "%.2f", cost);
    else if (cost < 1)
        rdi_snprintf(text, RDI_FORMAT_ROOM, "%#.3g", cost);
    else
        rdi_snprintf(text, RDI_FORMAT_ROOM, "%.4g", cost);
}

/* Says which cache is the cheapest. */
static void add_answer(rdi_paper *paper, const rd_profile *p, const rd_object_cost *c) {
    char size[16], exact[40] = "", share[RDI_FORMAT_ROOM], total[RDI_FORMAT_ROOM],
                   memory[RDI_FORMAT_ROOM], misses[RDI_FORMAT_ROOM], words[320];
    rd_format_bytes((double)c->bytes, size);
    if (c->bytes >= 1024)
        snprintf(exact, sizeof exact, " (%" PRIu64 " bytes)", c->bytes);
    rdi_format_share(c->miss_ratio, share);
    format_cost(c->total, total);
    format_cost(c->memory, memory);
    format_cost(c->misses, misses);
    if (c->bytes == 0)
        snprintf(words, sizeof words,
                 "It is cheapest to have no cache: the misses of all requests cost %s, and every "
                 "cache that holds the largest object costs at least as much.",
                 total);
    else
        snprintf(
            words, sizeof words,
            "The cheapest cache has %s%s. It costs %s: %s for its memory and %s for its misses, "
            "%s of the requests.",
            size, exact, total, memory, misses, share);
    rdi_paper_wrap(paper, words);
    if (rd_profile_objects(p)->is_sample)
        rdi_paper_wrap(paper, "The misses are estimated from a sample of the objects.");
}

static void add_head(rdi_paper *paper) {
    static const char *const costs[] = {"memory", "misses", "total"};
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, -SIZE_COLUMNS, "cache size");
    rdi_paper_column(paper, -RATIO_COLUMNS, "requests missed");
    for (size_t i = 0; i < RDI_COUNT(costs); i++)
        rdi_paper_column(paper, -COST_COLUMNS, costs[i]);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_row(rdi_paper *paper, const rd_object_cost *c, bool cheapest) {
    const double costs[] = {c->memory, c->misses, c->total};
    char text[RDI_FORMAT_ROOM], share[RDI_FORMAT_ROOM - 2];
    rd_format_bytes((double)c->bytes, text);
    rdi_paper_column(paper, -SIZE_COLUMNS, c->bytes ? text : "no cache");
    rdi_format_share(c->miss_ratio, share);
    snprintf(text, sizeof text, "%s%s", c->interpolated ? "~" : "", share);
    rdi_paper_column(paper, -RATIO_COLUMNS, text);
    for (size_t i = 0; i < RDI_COUNT(costs); i++) {
        format_cost(costs[i], text);
        rdi_paper_column(paper, -COST_COLUMNS, text);
    }
    rdi_text_puts(&paper->t, c->below_largest ? " *" : cheapest ? "  cheapest" : "");
    rdi_text_putc(&paper->t, '\n');
}

rd_status rd_report_cost_text(rd_profile *p, const rd_report_style *style,
                              const rd_object_prices *prices, const uint64_t *sizes, size_t n_sizes,
                              char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, prices, text, n);
    cost_table table;
    RD_TRY(make_table(p, prices, sizes, n_sizes, &table));
    rdi_paper paper = rdi_paper_start(p, style);
    bool small = false;
    rdi_paper_title(&paper, p);
    rdi_text_putc(&paper.t, '\n');
    if (rd_profile_objects(p)->counted.requests == 0) {
        rdi_objects_add_nothing(&paper);
    } else {
        add_answer(&paper, p, &table.cheapest);
        rdi_text_putc(&paper.t, '\n');
        add_head(&paper);
        for (size_t i = 0; i < table.n; i++) {
            add_row(&paper, &table.rows[i], is_cheapest(&table, &table.rows[i]));
            small = small || table.rows[i].below_largest;
        }
        if (small)
            rdi_objects_add_largest(&paper, p);
    }
    rdi_free(paper.t.ctx, table.rows);
    return rdi_text_take(&paper.t, text, n);
}
