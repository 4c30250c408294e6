/* Makes the report about prefix caches for the terminal. */
#include "report/kv_report.h"

#include "base/number.h"
#include "base/sized.h"
#include "report/paper.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_WIDTH 80
#define SIZE_COLUMNS  11
#define BLOCK_COLUMNS 12
#define SHARE_COLUMNS 9
#define NAME_COLUMNS  18
#define SENTENCE      512

/* A view, and the text that is made from it. */
typedef struct kv_text {
    rdi_paper paper;
    const rd_kv_view *view;
    const rd_kv_config *config;
    rd_kv_totals totals;
    double block_bytes; /* 0: unknown */
} kv_text;

/* ---- numbers ---- */

static void format_share(double share, char *text) {
    rdi_format_share(share, text);
}

/* Formats a size in the unit of the view. */
static void format_size(const kv_text *k, uint64_t blocks, char *text) {
    double tokens = (double)blocks * (double)k->config->block_tokens;
    if (k->view->unit == RD_KV_BYTES && k->block_bytes > 0)
        rd_format_bytes((double)blocks * k->block_bytes, text);
    else if (k->view->unit == RD_KV_TOKENS)
        rd_format_count(tokens, text);
    else
        rdi_format_objects(blocks, text);
}

/* Returns the text to print after a size of `blocks` blocks. */
static const char *unit_name(const kv_text *k, uint64_t blocks) {
    static const char *const names[] = {" blocks", " tokens", ""};
    return k->view->unit == RD_KV_BLOCKS && blocks == 1 ? " block" : names[k->view->unit];
}

static void format_seconds(double seconds, char *text, size_t room) {
    if (seconds < 120)
        rdi_snprintf(text, room, "%.0f s", seconds);
    else if (seconds < 7200)
        rdi_snprintf(text, room, "%.0f min", seconds / 60);
    else
        rdi_snprintf(text, room, "%.1f h", seconds / 3600);
}

static void column(kv_text *k, int columns, const char *text) {
    rdi_paper_column(&k->paper, columns, text);
}

static void share_column(kv_text *k, double share) {
    char text[RDI_FORMAT_ROOM];
    format_share(share, text);
    column(k, -SHARE_COLUMNS, text);
}

static void end_line(kv_text *k) {
    rdi_text_putc(&k->paper.t, '\n');
}

/* ---- the beginning ---- */

static void add_title(kv_text *k) {
    rdi_paper_ink(&k->paper, RDI_INK_BOLD);
    rdi_text_escaped(&k->paper.t, k->view->name ? k->view->name : "log");
    rdi_paper_ink(&k->paper, RDI_INK_PLAIN);
    rdi_text_printf(&k->paper.t, "  (%s)\n\n", k->view->format ? k->view->format : "log");
}

static void add_totals(kv_text *k) {
    const rd_kv_totals *t = &k->totals;
    char blocks[RDI_FORMAT_ROOM], distinct[RDI_FORMAT_ROOM], requests[RDI_FORMAT_ROOM];
    char tokens[RDI_FORMAT_ROOM], output[RDI_FORMAT_ROOM], length[32] = "", text[SENTENCE];
    rdi_format_objects(t->requests, requests);
    rdi_format_objects(t->blocks, blocks);
    rdi_format_objects(t->distinct, distinct);
    rd_format_count((double)t->tokens, tokens);
    rd_format_count((double)t->output_tokens, output);
    if (rdi_kv_seconds(t) > 0)
        format_seconds(rdi_kv_seconds(t), length, sizeof length);
    snprintf(text, sizeof text,
             "%s request%s%s%s: %s block%s of %" PRIu64
             " token%s, %s of them distinct. %s prompt token%s, %s generated token%s.",
             requests, t->requests == 1 ? "" : "s", *length ? " in " : "", length, blocks,
             t->blocks == 1 ? "" : "s", t->block_tokens, t->block_tokens == 1 ? "" : "s", distinct,
             tokens, t->tokens == 1 ? "" : "s", output, t->output_tokens == 1 ? "" : "s");
    rdi_paper_wrap(&k->paper, text);
    char block_share[RDI_FORMAT_ROOM], token_share[RDI_FORMAT_ROOM], size[RDI_FORMAT_ROOM];
    format_share(rdi_kv_ratio(t->block_hits, t->blocks), block_share);
    format_share(rdi_kv_ratio(t->token_hits, t->tokens), token_share);
    format_size(k, t->end, size);
    snprintf(text, sizeof text,
             "An infinite cache serves %s of the blocks and %s of the prompt tokens. A cache of "
             "%s%s is as good.",
             block_share, token_share, size, unit_name(k, t->end));
    rdi_paper_wrap(&k->paper, text);
    if (t->unordered) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " request%s a time before that of an earlier request. All requests are "
                 "analyzed in the order of the log.",
                 t->unordered, t->unordered == 1 ? " has" : "s have");
        rdi_paper_wrap(&k->paper, text);
    }
}

/* ---- the curve ---- */

static void add_rows(kv_text *k, const rdi_kv_report_row *rows, size_t n) {
    bool opt = k->config->opt;
    unsigned used = SIZE_COLUMNS + BLOCK_COLUMNS + (opt ? 5 : 4) * SHARE_COLUMNS + 2;
    rdi_paper_heading(&k->paper, "Hits by cache size (LRU, prefix rule)");
    column(k, -SIZE_COLUMNS, "cache");
    column(k, -BLOCK_COLUMNS, "blocks");
    column(k, -SHARE_COLUMNS, "blocks");
    column(k, -SHARE_COLUMNS, "tokens");
    if (opt)
        column(k, -SHARE_COLUMNS, "best");
    column(k, -SHARE_COLUMNS, "p10");
    column(k, -SHARE_COLUMNS, "median");
    end_line(k);
    for (size_t i = 0; i < n; i++) {
        char text[RDI_FORMAT_ROOM];
        format_size(k, rows[i].blocks, text);
        column(k, -SIZE_COLUMNS, text);
        rdi_format_objects(rows[i].blocks, text);
        column(k, -BLOCK_COLUMNS, text);
        share_column(k, rows[i].block_ratio);
        share_column(k, rows[i].token_ratio);
        if (opt)
            share_column(k, rows[i].best_blocks);
        share_column(k, rows[i].p10);
        share_column(k, rows[i].median);
        rdi_text_puts(&k->paper.t, "  ");
        rdi_paper_bar(&k->paper, rows[i].token_ratio,
                      k->paper.style.width > used ? k->paper.style.width - used : 1);
        end_line(k);
    }
    rdi_text_putc(&k->paper.t, '\n');
    rdi_paper_wrap(&k->paper,
                   "blocks, tokens: the cache serves this share of all blocks, and of all prompt "
                   "tokens. p10, median: a tenth, or half, of the requests get at most this share "
                   "of their prompt from the cache.");
    if (opt)
        rdi_paper_wrap(
            &k->paper,
            "best: no replacement policy can serve a larger share of the blocks (Belady's bound "
            "with the prefix rule, exact).");
}

/* ---- by turn ---- */

static void add_turns(kv_text *k, const rdi_kv_report_row *rows, size_t n) {
    rd_kv_series s = rd_kv_series_of(k->view->kv);
    rd_kv_details d;
    if (!k->totals.turns || n == 0)
        return;
    const rdi_kv_report_row *row = &rows[n - 1];
    if (rd_kv_details_at(k->view->kv, row->index, &d) != RD_OK)
        return;
    char size[RDI_FORMAT_ROOM], heading[96];
    format_size(k, row->blocks, size);
    snprintf(heading, sizeof heading, "Token hits by turn, cache of %s%s", size,
             unit_name(k, row->blocks));
    rdi_paper_heading(&k->paper, heading);
    for (size_t i = 0; i <= RD_KV_TURNS; i++) {
        char text[RDI_FORMAT_ROOM];
        if (s.turn_tokens[i] == 0)
            continue;
        snprintf(text, sizeof text, i == RD_KV_TURNS ? "%zu and later" : "turn %zu", i + 1);
        column(k, -NAME_COLUMNS, text);
        share_column(k, rdi_kv_ratio(d.turn_hits[i], s.turn_tokens[i]));
        rd_format_count((double)s.turn_tokens[i], text);
        column(k, -SHARE_COLUMNS - 2, text);
        rdi_text_puts(&k->paper.t, " tokens\n");
    }
}

/* ---- card, tiers, plan, replicas ---- */

static void add_card(kv_text *k) {
    double room = k->view->card_bytes - k->view->weights_bytes;
    char text[SENTENCE], card[RDI_FORMAT_ROOM], weights[RDI_FORMAT_ROOM], tokens[RDI_FORMAT_ROOM];
    if (!(k->view->card_bytes > 0))
        return;
    rdi_text_putc(&k->paper.t, '\n');
    rd_format_bytes(k->view->card_bytes, card);
    rd_format_bytes(k->view->weights_bytes, weights);
    if (room < k->block_bytes) {
        snprintf(text, sizeof text,
                 "A card with %s has no room for a block beside %s of weights, so the model needs "
                 "several cards.",
                 card, weights);
    } else {
        uint64_t blocks = (uint64_t)(room / k->block_bytes);
        rd_kv_point point = {0};
        char share[RDI_FORMAT_ROOM], held[RDI_FORMAT_ROOM];
        if (rd_kv_at(k->view->kv, blocks, &point) != RD_OK)
            return;
        format_share(rdi_kv_ratio(point.token_hits, k->totals.tokens), share);
        rd_format_count((double)blocks * (double)k->config->block_tokens, tokens);
        rdi_format_objects(blocks, held);
        snprintf(text, sizeof text,
                 "A card with %s holds %s tokens (%s block%s) beside %s of weights. These would "
                 "serve %s of the prompt tokens if running requests needed no room.",
                 card, tokens, held, blocks == 1 ? "" : "s", weights, share);
    }
    rdi_paper_wrap(&k->paper, text);
}

static void rate_column(kv_text *k, double blocks) {
    double seconds = rdi_kv_seconds(&k->totals);
    char text[RDI_FORMAT_ROOM + 4] = "";
    if (seconds > 0) {
        rd_format_bytes(blocks * k->block_bytes / seconds, text);
        snprintf(text + strlen(text), 3, "/s");
    }
    column(k, -SIZE_COLUMNS - 3, text);
}

static void add_tiers(kv_text *k) {
    if (!k->view->offers)
        return;
    rdi_paper_heading(&k->paper, k->view->inclusive ? "Tiers (inclusive)" : "Tiers (exclusive)");
    column(k, -NAME_COLUMNS, "tier");
    column(k, -SIZE_COLUMNS, "size");
    column(k, -SHARE_COLUMNS, "blocks");
    column(k, -SHARE_COLUMNS, "tokens");
    column(k, -SIZE_COLUMNS - 3, "read");
    column(k, -SIZE_COLUMNS - 3, "written");
    end_line(k);
    uint64_t moved = 0;
    for (size_t i = 0; i < k->config->n_tiers; i++) {
        rd_kv_tier tier;
        char text[RDI_FORMAT_ROOM];
        if (rd_kv_tier_at(k->view->kv, i, &tier) != RD_OK)
            return;
        column(k, -NAME_COLUMNS, k->view->offers[i].name);
        rd_format_bytes((double)k->view->offers[i].bytes, text);
        column(k, -SIZE_COLUMNS, text);
        share_column(k, rdi_kv_ratio(tier.block_hits, k->totals.blocks));
        share_column(k, rdi_kv_ratio(tier.token_hits, k->totals.tokens));
        rate_column(k, (double)tier.block_hits);
        rate_column(k, (double)(i == 0 || k->view->inclusive ? tier.arrivals : moved));
        end_line(k);
        moved = tier.departures;
    }
}

static void add_plan(kv_text *k) {
    const rd_kv_plan *plan = k->view->plan;
    char text[SENTENCE], share[RDI_FORMAT_ROOM];
    if (!plan)
        return;
    rdi_paper_heading(&k->paper, "What to buy");
    if (!plan->found) {
        format_share(rdi_kv_ratio(k->totals.token_hits, k->totals.tokens), share);
        snprintf(
            text, sizeof text,
            "No sizes of these tiers reach the goal. An infinite cache serves %s of the prompt "
            "tokens.",
            share);
        rdi_paper_wrap(&k->paper, text);
        return;
    }
    for (size_t i = 0; i < k->config->n_tiers; i++) {
        rd_format_bytes((double)plan->bytes[i], share);
        column(k, -NAME_COLUMNS, k->view->offers[i].name);
        column(k, -SIZE_COLUMNS, share);
        end_line(k);
    }
    format_share(plan->hits, share);
    int length = rdi_snprintf(text, sizeof text,
                              "These tiers serve %s of the prompt tokens. They cost %.2f per hour",
                              share, plan->storage_cost);
    if (plan->miss_cost > 0)
        rdi_snprintf(text + length, sizeof text - (size_t)length,
                     ", and misses cost %.2f per hour.", plan->miss_cost);
    else
        rdi_snprintf(
            text + length, sizeof text - (size_t)length,
            ". To see the cost of misses, give --token-cost, or --prefill and --second-cost.");
    rdi_paper_wrap(&k->paper, text);
}

static void add_replicas(kv_text *k, const rdi_kv_report_row *rows, size_t n) {
    static const char *const heads[] = {"round", "convers.", "prefix"};
    char heading[128], size[RDI_FORMAT_ROOM];
    if (!k->view->replicas)
        return;
    snprintf(heading, sizeof heading,
             "Token hits of %" PRIu32 " replica%s, each with 1/%" PRIu32 " of the cache",
             k->view->replicas, k->view->replicas == 1 ? "" : "s", k->view->replicas);
    rdi_paper_heading(&k->paper, heading);
    column(k, -SIZE_COLUMNS, "total");
    column(k, -SHARE_COLUMNS - 2, "shared");
    for (int r = 0; r < RD_KV_ROUTERS; r++)
        if (k->view->fleets[r])
            column(k, -SHARE_COLUMNS - 2, heads[r]);
    end_line(k);
    for (size_t i = 0; i < n; i++) {
        format_size(k, rows[i].blocks, size);
        column(k, -SIZE_COLUMNS, size);
        rdi_text_puts(&k->paper.t, "  ");
        share_column(k, rows[i].token_ratio);
        for (int r = 0; r < RD_KV_ROUTERS; r++) {
            rd_kv_point p;
            if (!k->view->fleets[r] ||
                rd_kv_fleet_at(k->view->fleets[r], rows[i].index, &p) != RD_OK)
                continue;
            rdi_text_puts(&k->paper.t, "  ");
            share_column(k, rdi_kv_ratio(p.token_hits, k->totals.tokens));
        }
        end_line(k);
    }
    rdi_text_putc(&k->paper.t, '\n');
    rdi_paper_wrap(
        &k->paper,
        "total: the size of all caches together. shared: one cache of this size. In the other "
        "columns, the router sends requests to the replicas in turn (round), by conversation "
        "(convers.), or to the replica with the longest cached prefix (prefix).");
}

rd_status rd_kv_report_text(const rd_kv_view *view, const rd_report_style *style, char **text,
                            size_t *n) {
    RDI_NEED(view ? rd_kv_ctx(view->kv) : NULL, view, text, n);
    rd_kv_view known;
    rdi_kv_report_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(rdi_kv_view_check(view, &known));
    rd_ctx *ctx = rd_kv_ctx(known.kv);
    RD_TRY(rdi_kv_rows(&known, &rows, &n_rows));
    kv_text k = {.paper = {.t = rdi_text_start(ctx)},
                 .view = &known,
                 .config = rd_kv_config_of(known.kv),
                 .totals = rd_kv_totals_of(known.kv)};
    k.block_bytes = known.token_bytes * (double)k.config->block_tokens;
    k.paper.t.status =
        rdi_sized_copy(ctx, "rd_report_style", style, &k.paper.style, sizeof k.paper.style);
    if (k.paper.style.width == 0)
        k.paper.style.width = DEFAULT_WIDTH;
    add_title(&k);
    add_totals(&k);
    add_rows(&k, rows, n_rows);
    add_turns(&k, rows, n_rows);
    add_card(&k);
    add_tiers(&k);
    add_plan(&k);
    add_replicas(&k, rows, n_rows);
    rdi_free(ctx, rows);
    return rdi_text_take(&k.paper.t, text, n);
}
