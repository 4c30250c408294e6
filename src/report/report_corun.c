/* Reports programs that share a cache: tables for people, CSV and JSON for programs. */
#include "reusedist/report.h"

#include "base/json_write.h"
#include "base/sized.h"
#include "profile/profile_build.h"
#include "report/paper.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NAME_COLUMNS  22
#define RATE_COLUMNS  8
#define SHARE_COLUMNS 10
#define SIZE_COLUMNS  11
#define COUNT_COLUMNS 6

/* The answers for one cache size. Arrays have an element per program. */
typedef struct answer {
    uint64_t blocks;
    rd_corun_program together[RD_CORUN_MAX];
    size_t cache_of[RD_CORUN_MAX]; /* with several caches: index of the program's cache */
    double worst;                  /* with several caches: miss ratio of the worst assignment */
    rd_corun_program apart[RD_CORUN_MAX]; /* with ways: each program in the ways that it gets */
    size_t ways_of[RD_CORUN_MAX];
} answer;

/* The data of a report: the request, the model of all programs, and an answer per cache size. */
typedef struct corun_report {
    rd_corun_request request;
    rd_corun *corun;
    answer *answer;
} corun_report;

static rd_status report_open(rd_ctx *ctx, const rd_corun_request *request, corun_report *r) {
    *r = (corun_report){0};
    RD_TRY(rdi_sized_copy(ctx, "rd_corun_request", request, &r->request, sizeof r->request));
    RDI_NEED(ctx, r->request.profiles, r->request.names, r->request.blocks);
    RD_TRY(rd_corun_new(ctx, r->request.profiles, r->request.rates, r->request.n, &r->corun));
    r->answer = rdi_alloc(ctx, 1, sizeof *r->answer);
    if (r->answer)
        return RD_OK;
    rd_corun_free(r->corun);
    return RD_ENOMEM;
}

static void report_close(rd_ctx *ctx, corun_report *r) {
    rdi_free(ctx, r->answer);
    rd_corun_free(r->corun);
}

/* Computes the answers for cache size `i`. */
static rd_status find_answer(corun_report *r, size_t i) {
    answer *a = r->answer;
    a->blocks = r->request.blocks[i];
    if (r->request.caches)
        RD_TRY(rd_corun_assign(r->corun, a->blocks, r->request.caches, a->cache_of, a->together,
                               &a->worst));
    else
        RD_TRY(rd_corun_share(r->corun, a->blocks, a->together));
    if (r->request.ways)
        RD_TRY(rd_corun_partition(r->corun, a->blocks, r->request.ways, a->ways_of, a->apart));
    return RD_OK;
}

static uint64_t block_bytes_of(const corun_report *r) {
    return rd_profile_facts_of(r->request.profiles[0])->block_bytes;
}

/* Returns whether the size lies inside a bin of program `i`, so that the miss ratio of the program
 * alone in the cache is interpolated. */
static bool is_interpolated(const corun_report *r, size_t i) {
    rd_profile *p = r->request.profiles[i];
    double miss;
    bool interpolated = false;
    return !isnan(r->answer->together[i].alone) &&
           rd_mrc_at(rdi_profile_ctx(p), p, r->answer->blocks, &miss, &interpolated) == RD_OK &&
           interpolated;
}

static bool any_interpolated(const corun_report *r) {
    bool any = false;
    for (size_t i = 0; i < r->request.n; i++)
        any = any || is_interpolated(r, i);
    return any;
}

/* ---- CSV ---- */

static void add_csv_row(rdi_text *t, const corun_report *r, size_t i) {
    const answer *a = r->answer;
    const rd_corun_program *p = &a->together[i];
    rdi_text_csv(t, r->request.names[i]);
    rdi_text_putc(t, ',');
    if (block_bytes_of(r))
        rdi_text_u128(t, (rdi_u128)a->blocks * block_bytes_of(r));
    rdi_text_putc(t, ',');
    rdi_text_double(t, p->miss_ratio);
    rdi_text_putc(t, ',');
    if (!isnan(p->alone))
        rdi_text_double(t, p->alone);
    rdi_text_printf(t, ",%" PRIu64 ",", a->blocks);
    rdi_text_double(t, p->occupied);
    rdi_text_putc(t, ',');
    rdi_text_double(t, p->rate);
    if (r->request.caches)
        rdi_text_printf(t, ",%zu", a->cache_of[i] + 1);
    if (r->request.ways) {
        rdi_text_printf(t, ",%zu,", a->ways_of[i]);
        rdi_text_double(t, a->apart[i].miss_ratio);
    }
    rdi_text_putc(t, '\n');
}

rd_status rd_report_corun_csv(rd_ctx *ctx, const rd_corun_request *request, char **text,
                              size_t *n) {
    corun_report r;
    RDI_NEED(ctx, ctx, request, text, n);
    RD_TRY(report_open(ctx, request, &r));
    rdi_text t = rdi_text_start(ctx);
    rdi_text_printf(&t, "program,bytes,miss_ratio,alone,blocks,occupied_blocks,rate%s%s\n",
                    r.request.caches ? ",cache" : "", r.request.ways ? ",ways,partitioned" : "");
    for (size_t i = 0; i < r.request.n_blocks && t.status == RD_OK; i++) {
        t.status = find_answer(&r, i);
        for (size_t k = 0; k < r.request.n && t.status == RD_OK; k++)
            add_csv_row(&t, &r, k);
    }
    report_close(ctx, &r);
    return rdi_text_take(&t, text, n);
}

/* ---- JSON ---- */

static void put_program(rd_json_writer *w, const corun_report *r, size_t i) {
    const answer *a = r->answer;
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "program", r->request.names[i]);
    rd_json_put_double(w, "rate", a->together[i].rate);
    rd_json_put_double(w, "alone", a->together[i].alone); /* null if it is unknown */
    rd_json_put_bool(w, "interpolated", is_interpolated(r, i));
    rd_json_put_double(w, "miss_ratio", a->together[i].miss_ratio);
    rd_json_put_double(w, "occupied_blocks", a->together[i].occupied);
    if (r->request.caches)
        rd_json_put_u64(w, "cache", a->cache_of[i] + 1);
    if (r->request.ways) {
        rd_json_put_u64(w, "ways", a->ways_of[i]);
        rd_json_put_double(w, "partitioned", a->apart[i].miss_ratio);
    }
    rd_json_end_object(w);
}

static void put_answer(rd_json_writer *w, const corun_report *r) {
    const answer *a = r->answer;
    rd_json_begin_object(w, NULL, RD_JSON_LINES);
    rd_json_put_u64(w, "blocks", a->blocks);
    rd_json_put_double(w, "miss_ratio", rd_corun_total(r->corun, a->together));
    if (r->request.caches)
        rd_json_put_double(w, "worst_miss_ratio", a->worst);
    if (r->request.ways)
        rd_json_put_double(w, "partitioned", rd_corun_total(r->corun, a->apart));
    rd_json_begin_array(w, "programs", RD_JSON_LINES);
    for (size_t i = 0; i < r->request.n; i++)
        put_program(w, r, i);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

rd_status rd_report_corun_json(rd_ctx *ctx, const rd_corun_request *request, char **text,
                               size_t *n) {
    corun_report r;
    rd_status status = RD_OK;
    RDI_NEED(ctx, ctx, request, text, n);
    RD_TRY(report_open(ctx, request, &r));
    rd_json_writer w = rdi_json_writer_start(ctx, RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.corun/1");
    rdi_json_put_u64_or_null(&w, "block_bytes", block_bytes_of(&r), 0);
    rd_json_begin_array(&w, "caches", RD_JSON_LINES);
    for (size_t i = 0; i < r.request.n_blocks && status == RD_OK; i++) {
        status = find_answer(&r, i);
        if (status == RD_OK)
            put_answer(&w, &r);
    }
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    report_close(ctx, &r);
    if (status == RD_OK)
        return rd_json_writer_take(&w, text, n);
    rdi_json_writer_drop(&w);
    return status;
}

/* ---- text ---- */

static void add_share(rdi_paper *paper, double share, bool interpolated) {
    char text[RDI_FORMAT_ROOM + 1] = "?", number[RDI_FORMAT_ROOM];
    if (!isnan(share)) {
        rdi_format_share(share, number);
        snprintf(text, sizeof text, "%s%s", interpolated ? "~" : "", number);
    }
    rdi_paper_column(paper, -SHARE_COLUMNS, text);
}

static void add_number(rdi_paper *paper, size_t number) {
    char text[RDI_FORMAT_ROOM];
    snprintf(text, sizeof text, "%zu", number);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
}

/* Adds the name of a program, escaped. The table shows only the end of a long name, because the end
 * of a path says more than its beginning. */
static void add_name(rdi_paper *paper, const char *name) {
    rdi_text safe = rdi_text_start(paper->t.ctx);
    rdi_text_escaped(&safe, name);
    const char *shown = safe.data ? safe.data : "";
    while (rdi_text_columns(shown) > NAME_COLUMNS - 1)
        do
            shown++;
        while (((unsigned char)*shown & 0xc0) == 0x80);
    rdi_paper_column(paper, NAME_COLUMNS, shown);
    rdi_text_drop(&safe);
}

static void add_head(rdi_paper *paper, const corun_report *r) {
    char title[64], size[RDI_FORMAT_ROOM];
    rdi_format_size(paper, r->answer->blocks, size);
    snprintf(title, sizeof title, "%s of %s%s", r->request.caches ? "caches" : "cache", size,
             paper->block_bytes ? "" : " blocks");
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS, title);
    rdi_paper_column(paper, -RATE_COLUMNS, "rate");
    rdi_paper_column(paper, -SHARE_COLUMNS, "alone");
    rdi_paper_column(paper, -SHARE_COLUMNS, "together");
    rdi_paper_column(paper, -SIZE_COLUMNS, "occupies");
    if (r->request.caches)
        rdi_paper_column(paper, -COUNT_COLUMNS, "cache");
    if (r->request.ways) {
        rdi_paper_column(paper, -COUNT_COLUMNS, "ways");
        rdi_paper_column(paper, -SHARE_COLUMNS, "divided");
    }
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

static void add_program(rdi_paper *paper, const corun_report *r, size_t i) {
    const answer *a = r->answer;
    const rd_corun_program *p = &a->together[i];
    char text[RDI_FORMAT_ROOM];
    add_name(paper, r->request.names[i]);
    rdi_format_share(p->rate, text);
    rdi_paper_column(paper, -RATE_COLUMNS, text);
    add_share(paper, p->alone, is_interpolated(r, i));
    add_share(paper, p->miss_ratio, false);
    rdi_format_size(paper, (uint64_t)llround(p->occupied), text);
    rdi_paper_column(paper, -SIZE_COLUMNS, text);
    if (r->request.caches)
        add_number(paper, a->cache_of[i] + 1);
    if (r->request.ways) {
        add_number(paper, a->ways_of[i]);
        add_share(paper, a->apart[i].miss_ratio, false);
    }
    rdi_text_putc(&paper->t, '\n');
}

/* Adds the sentences below a table: the misses of all programs, and the gain from the best assignment or
 * the best partition. */
static void add_conclusion(rdi_paper *paper, const corun_report *r) {
    const answer *a = r->answer;
    double together = rd_corun_total(r->corun, a->together), alone = 0;
    char text[320], now[RDI_FORMAT_ROOM], other[RDI_FORMAT_ROOM];
    for (size_t i = 0; i < r->request.n; i++)
        alone += a->together[i].rate * a->together[i].alone;
    rdi_format_share(together, now);
    rdi_format_share(r->request.caches ? a->worst : alone, other);
    if (r->request.caches)
        snprintf(text, sizeof text,
                 "With this assignment, %s of all references miss. It is the best one; with the "
                 "worst one, %s miss.",
                 now, other);
    else if (isnan(alone))
        snprintf(text, sizeof text, "Together, %s of all references miss.", now);
    else
        snprintf(text, sizeof text,
                 "Together, %s of all references miss. If each program had such a cache to itself, "
                 "%s%s would miss.",
                 now, any_interpolated(r) ? "about " : "", other);
    rdi_paper_wrap(paper, text);
    if (!r->request.ways)
        return;
    double apart = rd_corun_total(r->corun, a->apart);
    rdi_format_share(apart, other);
    snprintf(
        text, sizeof text,
        apart < together
            ? "With the best division of the %zu ways, %s of all references miss instead."
            : "No division of the %zu ways is better than sharing: with the best one, %s of all "
              "references miss.",
        r->request.ways, other);
    rdi_paper_wrap(paper, text);
}

static void add_table(rdi_paper *paper, const corun_report *r) {
    rdi_text_putc(&paper->t, '\n');
    add_head(paper, r);
    for (size_t k = 0; k < r->request.n; k++)
        add_program(paper, r, k);
    rdi_text_putc(&paper->t, '\n');
    add_conclusion(paper, r);
    if (any_interpolated(r))
        rdi_paper_wrap(
            paper, "A miss ratio with '~' is interpolated, because the size lies inside a bin of "
                   "the profile; analyze with --hist=full.");
}

rd_status rd_report_corun_text(rd_ctx *ctx, const rd_corun_request *request,
                               const rd_report_style *style, char **text, size_t *n) {
    corun_report r;
    RDI_NEED(ctx, ctx, request, text, n);
    RD_TRY(report_open(ctx, request, &r));
    rdi_paper paper = rdi_paper_start(r.request.profiles[0], style);
    rdi_paper_wrap(&paper,
                   "The numbers are estimated from the profiles alone. The estimate assumes "
                   "that programs behave the same all the time and share no data, and that "
                   "caches are fully associative and evict the least recently used block.");
    for (size_t i = 0; i < r.request.n_blocks && paper.t.status == RD_OK; i++) {
        paper.t.status = find_answer(&r, i);
        if (paper.t.status == RD_OK)
            add_table(&paper, &r);
    }
    report_close(ctx, &r);
    return rdi_text_take(&paper.t, text, n);
}
