/* Makes reports about prefix caches for tools: CSV and JSON. */
#include "report/kv_report.h"

#include "base/sized.h"

#include <math.h>

#define CURVE_POINTS 256

double rdi_kv_ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

double rdi_kv_seconds(const rd_kv_totals *t) {
    return t->last_us == RD_KV_NO_TIME ? 0 : (double)(t->last_us - t->first_us) / 1e6;
}

const char *rdi_kv_router_name(rd_kv_router router) {
    static const char *const names[] = {"round robin", "by conversation", "by longest prefix"};
    return names[router];
}

rd_status rdi_kv_view_check(const rd_kv_view *view, rd_kv_view *out) {
    rd_ctx *ctx = rd_kv_ctx(view->kv);
    RDI_NEED(ctx, view->kv);
    return rdi_sized_copy(ctx, "rd_kv_view", view, out, sizeof *out);
}

/* ---- rows ---- */

static rd_status make_row(const rd_kv_view *view, size_t index, rdi_kv_report_row *row) {
    const rd_kv_config *config = rd_kv_config_of(view->kv);
    rd_kv_totals totals = rd_kv_totals_of(view->kv);
    rd_kv_point point;
    rd_kv_details details;
    RD_TRY(rd_kv_at(view->kv, config->sizes[index], &point));
    RD_TRY(rd_kv_details_at(view->kv, index, &details));
    *row = (rdi_kv_report_row){.index = index,
                               .blocks = point.size_blocks,
                               .block_ratio = rdi_kv_ratio(point.block_hits, totals.blocks),
                               .token_ratio = rdi_kv_ratio(point.token_hits, totals.tokens),
                               .p10 = rd_kv_quantile(&details, 0.1),
                               .median = rd_kv_quantile(&details, 0.5),
                               .p99 = rd_kv_quantile(&details, 0.99),
                               .best_blocks = NAN,
                               .best_low = NAN,
                               .best_high = NAN};
    if (!config->opt)
        return RD_OK;
    rd_kv_bound bound;
    RD_TRY(rd_kv_bound_at(view->kv, index, &bound));
    row->best_blocks = rdi_kv_ratio(bound.block_hits, totals.blocks);
    row->best_low = rdi_kv_ratio(bound.token_low, totals.tokens);
    row->best_high = rdi_kv_ratio(bound.token_high, totals.tokens);
    return RD_OK;
}

/* Returns whether a cache of size number `index` has hits. Larger caches have at least as many. */
static bool has_hits(const rd_kv_view *view, size_t index) {
    rd_kv_point point = {0};
    uint64_t size = rd_kv_config_of(view->kv)->sizes[index];
    return rd_kv_at(view->kv, size, &point) == RD_OK && point.block_hits > 0;
}

/* Returns whether the report shows size number `index`. If the user chose no sizes, the report
 * begins with the last size before the first hit, and ends with the first size that has all hits. If no
 * size has hits, it shows only the first size. */
static bool shown(const rd_kv_view *view, size_t index) {
    const rd_kv_config *config = rd_kv_config_of(view->kv);
    uint64_t end = rd_kv_totals_of(view->kv).end;
    size_t last = config->n_sizes - 1;
    if (view->chosen)
        return true;
    if (!has_hits(view, last))
        return index == 0;
    bool beyond = index > 0 && config->sizes[index - 1] >= end;
    return has_hits(view, index < last ? index + 1 : last) && !beyond;
}

rd_status rdi_kv_rows(const rd_kv_view *view, rdi_kv_report_row **out, size_t *n_out) {
    const rd_kv_config *config = rd_kv_config_of(view->kv);
    rd_ctx *ctx = rd_kv_ctx(view->kv);
    rdi_kv_report_row *rows = rdi_calloc(ctx, config->n_sizes + 1, sizeof *rows);
    size_t n = 0;
    rd_status status = rows ? RD_OK : RD_ENOMEM;
    for (size_t i = 0; status == RD_OK && i < config->n_sizes; i++)
        if (shown(view, i))
            status = make_row(view, i, &rows[n++]);
    if (status != RD_OK) {
        rdi_free(ctx, rows);
        return status;
    }
    *out = rows;
    *n_out = n;
    return RD_OK;
}

/* ---- CSV ---- */

static void add_csv_row(rdi_text *t, const rd_kv_view *view, const rdi_kv_report_row *row) {
    uint64_t block_tokens = rd_kv_config_of(view->kv)->block_tokens;
    rdi_u128 tokens = (rdi_u128)row->blocks * block_tokens;
    rdi_text_u64(t, row->blocks);
    rdi_text_putc(t, ',');
    rdi_text_u128(t, tokens);
    rdi_text_putc(t, ',');
    if (view->token_bytes > 0)
        rdi_text_fixed(t, (double)tokens * view->token_bytes, 0);
    rdi_text_putc(t, ',');
    rdi_text_double(t, row->block_ratio);
    rdi_text_putc(t, ',');
    rdi_text_double(t, row->token_ratio);
    const double more[] = {row->p10,         row->median,   row->p99,
                           row->best_blocks, row->best_low, row->best_high};
    size_t n = rd_kv_config_of(view->kv)->opt ? 6 : 3;
    for (size_t i = 0; i < n; i++) {
        rdi_text_putc(t, ',');
        rdi_text_double(t, more[i]);
    }
    rdi_text_putc(t, '\n');
}

rd_status rd_kv_report_csv(const rd_kv_view *view, char **text, size_t *n) {
    RDI_NEED(view ? rd_kv_ctx(view->kv) : NULL, view, text, n);
    rd_kv_view known;
    rdi_kv_report_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(rdi_kv_view_check(view, &known));
    RD_TRY(rdi_kv_rows(&known, &rows, &n_rows));
    rdi_text t = rdi_text_start(rd_kv_ctx(known.kv));
    rdi_text_puts(&t, "blocks,tokens,bytes,block_hit_ratio,token_hit_ratio,share_p10,share_median,"
                      "share_p99");
    if (rd_kv_config_of(known.kv)->opt)
        rdi_text_puts(&t, ",best_block_hit_ratio,best_token_low,best_token_high");
    rdi_text_putc(&t, '\n');
    for (size_t i = 0; i < n_rows; i++)
        add_csv_row(&t, &known, &rows[i]);
    rdi_free(t.ctx, rows);
    return rdi_text_take(&t, text, n);
}

/* ---- JSON ---- */

static void put_size(rd_json_writer *w, const rd_kv_view *view, uint64_t blocks) {
    double tokens = (double)blocks * (double)rd_kv_config_of(view->kv)->block_tokens;
    rd_json_put_u64(w, "blocks", blocks);
    rd_json_put_fixed(w, "tokens", tokens, 0);
    rd_json_put_fixed(w, "bytes", view->token_bytes > 0 ? tokens * view->token_bytes : NAN, 0);
}

static void put_row(rd_json_writer *w, const rd_kv_view *view, const rdi_kv_report_row *row) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    put_size(w, view, row->blocks);
    rd_json_put_double(w, "block_hit_ratio", row->block_ratio);
    rd_json_put_double(w, "token_hit_ratio", row->token_ratio);
    rd_json_put_double(w, "share_p10", row->p10);
    rd_json_put_double(w, "share_median", row->median);
    rd_json_put_double(w, "share_p99", row->p99);
    if (!isnan(row->best_blocks)) {
        rd_json_put_double(w, "best_block_hit_ratio", row->best_blocks);
        rd_json_put_double(w, "best_token_low", row->best_low);
        rd_json_put_double(w, "best_token_high", row->best_high);
    }
    rd_json_end_object(w);
}

static void put_totals(rd_json_writer *w, const rd_kv_view *view) {
    rd_kv_totals t = rd_kv_totals_of(view->kv);
    const rd_kv_config *config = rd_kv_config_of(view->kv);
    rd_json_put_string(w, "log", view->name);
    rd_json_put_string(w, "format", view->format);
    rd_json_put_string(w, "order", config->order == RD_KV_TAIL ? "tail" : "front");
    rd_json_put_string(w, "partial", config->full_only ? "drop" : "cache");
    rd_json_put_string(w, "outputs", config->outputs ? "cache" : "drop");
    rd_json_put_u64(w, "requests", t.requests);
    rd_json_put_u64(w, "empty_requests", t.empty);
    rd_json_put_u64(w, "unordered_times", t.unordered);
    rd_json_put_u64(w, "blocks", t.blocks);
    rd_json_put_u64(w, "distinct_blocks", t.distinct);
    rd_json_put_u64(w, "block_tokens", t.block_tokens);
    rd_json_put_u64(w, "prompt_tokens", t.tokens);
    rd_json_put_u64(w, "output_tokens", t.output_tokens);
    rd_json_put_double(w, "seconds", t.last_us == RD_KV_NO_TIME ? NAN : rdi_kv_seconds(&t));
    rd_json_put_double(w, "token_bytes", view->token_bytes > 0 ? view->token_bytes : NAN);
    rd_json_put_string(w, "model", view->model ? view->model->name : NULL);
    rd_json_begin_object(w, "infinite", RD_JSON_INLINE);
    put_size(w, view, t.end);
    rd_json_put_double(w, "block_hit_ratio", rdi_kv_ratio(t.block_hits, t.blocks));
    rd_json_put_double(w, "token_hit_ratio", rdi_kv_ratio(t.token_hits, t.tokens));
    rd_json_end_object(w);
}

/* Writes the totals per turn (if the log has turns) and per window, and the times between two uses of a block.
 * For each size that the report shows, writes the hits per turn and window, and the deciles of the share of a
 * prompt that the cache serves. */
static void put_details(rd_json_writer *w, const rd_kv_view *view, const rdi_kv_report_row *rows,
                        size_t n) {
    rd_kv_series s = rd_kv_series_of(view->kv);
    if (rd_kv_totals_of(view->kv).turns)
        rdi_json_put_u64s(w, "turn_tokens", s.turn_tokens, RD_KV_TURNS + 1);
    rd_json_put_double(w, "window_seconds", s.n_windows ? (double)s.window_us / 1e6 : NAN);
    rdi_json_put_u64s(w, "window_tokens", s.window_tokens, s.n_windows);
    rdi_json_put_u64s(w, "gaps_below_powers_of_two_ms", s.gaps, RD_KV_GAPS);
    rd_json_begin_array(w, "details", RD_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        rd_kv_details d;
        if (rd_kv_details_at(view->kv, rows[i].index, &d) != RD_OK)
            continue;
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "blocks", d.size_blocks);
        if (rd_kv_totals_of(view->kv).turns)
            rdi_json_put_u64s(w, "turn_token_hits", d.turn_hits, RD_KV_TURNS + 1);
        rdi_json_put_u64s(w, "window_token_hits", d.window_hits, s.n_windows);
        double deciles[11];
        for (int q = 0; q <= 10; q++)
            deciles[q] = rd_kv_quantile(&d, q / 10.0);
        rdi_json_put_doubles(w, "share_deciles", deciles, 11);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_tiers(rd_json_writer *w, const rd_kv_view *view) {
    const rd_kv_config *config = rd_kv_config_of(view->kv);
    rd_kv_totals totals = rd_kv_totals_of(view->kv);
    double seconds = rdi_kv_seconds(&totals);
    double block_bytes = view->token_bytes * (double)config->block_tokens;
    double scale = seconds > 0 ? block_bytes / seconds : NAN;
    rd_json_put_string(w, "fill", view->inclusive ? "inclusive" : "exclusive");
    rd_json_begin_array(w, "tiers", RD_JSON_LINES);
    for (size_t i = 0; view->offers && i < config->n_tiers; i++) {
        rd_kv_tier tier;
        if (rd_kv_tier_at(view->kv, i, &tier) != RD_OK)
            continue;
        uint64_t written = view->inclusive || i == 0 ? tier.arrivals : 0;
        if (!view->inclusive && i > 0) {
            rd_kv_tier faster;
            written = rd_kv_tier_at(view->kv, i - 1, &faster) == RD_OK ? faster.departures : 0;
        }
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", view->offers[i].name);
        rd_json_put_u64(w, "bytes", view->offers[i].bytes);
        rd_json_put_u64(w, "block_hits", tier.block_hits);
        rd_json_put_double(w, "block_hit_ratio", rdi_kv_ratio(tier.block_hits, totals.blocks));
        rd_json_put_double(w, "token_hit_ratio", rdi_kv_ratio(tier.token_hits, totals.tokens));
        rd_json_put_u64(w, "blocks_written", written);
        rd_json_put_double(w, "read_bytes_per_second", (double)tier.block_hits * scale);
        rd_json_put_double(w, "written_bytes_per_second", (double)written * scale);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_plan(rd_json_writer *w, const rd_kv_view *view) {
    const rd_kv_plan *plan = view->plan;
    rd_json_begin_object(w, "plan", RD_JSON_LINES);
    rd_json_put_bool(w, "found", plan->found);
    if (plan->found) {
        rd_json_begin_array(w, "tiers", RD_JSON_INLINE);
        for (size_t i = 0; i < rd_kv_config_of(view->kv)->n_tiers; i++) {
            rd_json_begin_object(w, NULL, RD_JSON_INLINE);
            rd_json_put_string(w, "name", view->offers[i].name);
            rd_json_put_u64(w, "bytes", plan->bytes[i]);
            rd_json_end_object(w);
        }
        rd_json_end_array(w);
        rd_json_put_u64(w, "blocks", plan->blocks);
        rd_json_put_double(w, "token_hit_ratio", plan->hits);
        rd_json_put_double(w, "storage_cost_per_hour", plan->storage_cost);
        rd_json_put_double(w, "miss_cost_per_hour", plan->miss_cost);
    }
    rd_json_end_object(w);
}

static void put_replicas(rd_json_writer *w, const rd_kv_view *view, const rdi_kv_report_row *rows,
                         size_t n) {
    rd_kv_totals totals = rd_kv_totals_of(view->kv);
    rd_json_put_u64(w, "replicas", view->replicas);
    rd_json_begin_array(w, "routers", RD_JSON_LINES);
    for (int router = 0; router < RD_KV_ROUTERS; router++) {
        if (!view->fleets[router])
            continue;
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "router", rdi_kv_router_name((rd_kv_router)router));
        rd_json_begin_array(w, "points", RD_JSON_INLINE);
        for (size_t i = 0; i < n; i++) {
            rd_kv_point p;
            if (rd_kv_fleet_at(view->fleets[router], rows[i].index, &p) != RD_OK)
                continue;
            rd_json_begin_object(w, NULL, RD_JSON_INLINE);
            rd_json_put_u64(w, "blocks", p.size_blocks);
            rd_json_put_double(w, "block_hit_ratio", rdi_kv_ratio(p.block_hits, totals.blocks));
            rd_json_put_double(w, "token_hit_ratio", rdi_kv_ratio(p.token_hits, totals.tokens));
            rd_json_end_object(w);
        }
        rd_json_end_array(w);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

/* Writes the curve at sizes that are evenly spaced on a logarithmic scale: [blocks, block hit ratio,
 * token hit ratio]. */
static void put_curve(rd_json_writer *w, const rd_kv_view *view) {
    rd_kv_totals totals = rd_kv_totals_of(view->kv);
    double end = (double)(totals.end > 1 ? totals.end : 2) * 1.5;
    uint64_t before = 0;
    rd_json_begin_array(w, "curve", RD_JSON_LINES);
    for (int i = 0; i <= CURVE_POINTS; i++) {
        uint64_t size = (uint64_t)(exp(log(end) * i / CURVE_POINTS) + 0.5);
        rd_kv_point p;
        if (size == before || rd_kv_at(view->kv, size, &p) != RD_OK)
            continue;
        double row[] = {(double)size, rdi_kv_ratio(p.block_hits, totals.blocks),
                        rdi_kv_ratio(p.token_hits, totals.tokens)};
        rdi_json_put_doubles(w, NULL, row, 3);
        before = size;
    }
    rd_json_end_array(w);
}

/* Writes the sizes that have half, 90 % and 99 % of the token hits of an infinite cache. */
static void put_enough(rd_json_writer *w, const rd_kv_view *view) {
    static const double parts[] = {0.5, 0.9, 0.99};
    rd_kv_totals totals = rd_kv_totals_of(view->kv);
    double all = rdi_kv_ratio(totals.token_hits, totals.tokens);
    rd_json_begin_array(w, "enough", RD_JSON_LINES);
    for (size_t i = 0; i < RDI_COUNT(parts); i++) {
        uint64_t size = 0;
        if (rd_kv_size_for(view->kv, parts[i] * all, &size) != RD_OK || size == RD_KV_NO_SIZE)
            continue;
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_double(w, "share_of_infinite", parts[i]);
        put_size(w, view, size);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

rd_status rdi_kv_json(const rd_kv_view *view, bool curve, char **text, size_t *n) {
    rdi_kv_report_row *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(rdi_kv_rows(view, &rows, &n_rows));
    rd_json_writer w = rdi_json_writer_start(rd_kv_ctx(view->kv), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", "reusedist.kv/1");
    rdi_json_put_tool(&w);
    put_totals(&w, view);
    rd_json_begin_array(&w, "points", RD_JSON_LINES);
    for (size_t i = 0; i < n_rows; i++)
        put_row(&w, view, &rows[i]);
    rd_json_end_array(&w);
    put_enough(&w, view);
    if (curve) {
        put_curve(&w, view);
        rdi_json_put_strings(&w, "profiles", NULL, 0); /* scripts of all pages read these lists */
        rdi_json_put_strings(&w, "levels", NULL, 0);
    }
    put_details(&w, view, rows, n_rows);
    if (view->offers)
        put_tiers(&w, view);
    if (view->plan)
        put_plan(&w, view);
    if (view->replicas)
        put_replicas(&w, view, rows, n_rows);
    rd_json_put_double(&w, "card_bytes", view->card_bytes > 0 ? view->card_bytes : NAN);
    rd_json_put_double(&w, "weights_bytes", view->card_bytes > 0 ? view->weights_bytes : NAN);
    rd_json_end_object(&w);
    rdi_free(rd_kv_ctx(view->kv), rows);
    return rd_json_writer_take(&w, text, n);
}

rd_status rd_kv_report_json(const rd_kv_view *view, char **text, size_t *n) {
    RDI_NEED(view ? rd_kv_ctx(view->kv) : NULL, view, text, n);
    rd_kv_view known;
    RD_TRY(rdi_kv_view_check(view, &known));
    return rdi_kv_json(&known, false, text, n);
}
