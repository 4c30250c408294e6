/* Collects, for the sizes of the configuration, the share of each prompt that the cache serves, and
 * hits by turn and over time. */
#include "prefix/kv_state.h"

#include <string.h>

/* Initial length of a window in microseconds. The length doubles when the log needs more than
 * RD_KV_WINDOWS windows. */
#define FIRST_WINDOW_US 1000
#define STEPS           (RD_KV_SHARE_STEPS + 1)
#define TURNS           (RD_KV_TURNS + 1)

rd_status rdi_kv_details_init(rd_kv *kv) {
    rdi_kv_detail_state *d = &kv->details;
    size_t sizes = kv->config.n_sizes ? kv->config.n_sizes : 1;
    d->shares = rdi_calloc(kv->ctx, sizes * STEPS, sizeof *d->shares);
    d->turn_hits = rdi_calloc(kv->ctx, sizes * TURNS, sizeof *d->turn_hits);
    d->window_hits = rdi_calloc(kv->ctx, sizes * RD_KV_WINDOWS, sizeof *d->window_hits);
    return d->shares && d->turn_hits && d->window_hits ? RD_OK : RD_ENOMEM;
}

void rdi_kv_details_fini(rd_kv *kv) {
    rdi_kv_detail_state *d = &kv->details;
    rdi_free(kv->ctx, d->shares);
    rdi_free(kv->ctx, d->turn_hits);
    rdi_free(kv->ctx, d->window_hits);
    rdi_free(kv->ctx, d->runs);
}

rd_status rdi_kv_details_run(rd_kv *kv, uint64_t worst, uint64_t tokens) {
    rdi_kv_detail_state *d = &kv->details;
    if (d->n_runs == d->runs_room) {
        rdi_kv_run *grown = rdi_grow(kv->ctx, d->runs, &d->runs_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        d->runs = grown;
    }
    d->runs[d->n_runs++] = (rdi_kv_run){.worst = worst, .tokens = tokens};
    return RD_OK;
}

static void halve(uint64_t *windows) {
    for (size_t i = 0; i < RD_KV_WINDOWS / 2; i++)
        windows[i] = windows[2 * i] + windows[2 * i + 1];
    memset(windows + RD_KV_WINDOWS / 2, 0, RD_KV_WINDOWS / 2 * sizeof *windows);
}

size_t rdi_kv_window(rd_kv *kv, uint64_t time_us) {
    rdi_kv_detail_state *d = &kv->details;
    if (time_us == RD_KV_NO_TIME)
        return RD_KV_WINDOWS;
    if (d->window_us == 0)
        d->window_us = FIRST_WINDOW_US;
    while (time_us / d->window_us >= RD_KV_WINDOWS) {
        d->window_us *= 2;
        halve(d->window_tokens);
        for (size_t i = 0; i < kv->config.n_sizes; i++)
            halve(d->window_hits + i * RD_KV_WINDOWS);
        for (size_t i = 0; i < RD_KV_TIERS_MAX; i++)
            halve(d->tier_hits[i]);
    }
    size_t window = (size_t)(time_us / d->window_us);
    d->n_windows = kv->totals.last_us == RD_KV_NO_TIME
                       ? 0
                       : (size_t)((kv->totals.last_us - kv->totals.first_us) / d->window_us) + 1;
    return window;
}

void rdi_kv_details_end(rd_kv *kv, const rdi_kv_row *row) {
    rdi_kv_detail_state *d = &kv->details;
    size_t turn = row->turn == 0 ? TURNS : row->turn <= RD_KV_TURNS ? row->turn - 1 : RD_KV_TURNS;
    size_t window = rdi_kv_window(kv, row->time_us), run = 0;
    uint64_t hits = 0, share = 0;
    if (turn < TURNS)
        d->turn_tokens[turn] += row->prompt_tokens;
    if (window < RD_KV_WINDOWS)
        d->window_tokens[window] += row->prompt_tokens;
    for (size_t i = 0; i < kv->config.n_sizes; i++) {
        bool more = false;
        for (; run < d->n_runs && d->runs[run].worst < kv->config.sizes[i]; run++, more = true)
            hits += d->runs[run].tokens;
        if (more)
            share = hits * RD_KV_SHARE_STEPS / row->prompt_tokens;
        if (row->prompt_tokens)
            d->shares[i * STEPS + share]++;
        if (turn < TURNS)
            d->turn_hits[i * TURNS + turn] += hits;
        if (window < RD_KV_WINDOWS)
            d->window_hits[i * RD_KV_WINDOWS + window] += hits;
    }
    d->n_runs = 0;
}

rd_status rd_kv_details_at(const rd_kv *kv, size_t index, rd_kv_details *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, out);
    if (index >= kv->config.n_sizes)
        return rdi_fail(kv->ctx, RD_EINVAL, "the analysis has no size with the index %zu", index);
    *out = (rd_kv_details){.size_blocks = kv->config.sizes[index],
                           .shares = kv->details.shares + index * STEPS,
                           .turn_hits = kv->details.turn_hits + index * TURNS,
                           .window_hits = kv->details.window_hits + index * RD_KV_WINDOWS};
    return RD_OK;
}

rd_kv_series rd_kv_series_of(const rd_kv *kv) {
    if (!kv)
        return (rd_kv_series){0};
    const rdi_kv_detail_state *d = &kv->details;
    return (rd_kv_series){.turn_tokens = d->turn_tokens,
                          .window_tokens = d->window_tokens,
                          .n_windows = d->n_windows,
                          .window_us = d->window_us,
                          .gaps = kv->gaps};
}

double rd_kv_quantile(const rd_kv_details *details, double q) {
    if (!details || !details->shares)
        return 0;
    uint64_t n = 0, seen = 0;
    for (size_t i = 0; i < STEPS; i++)
        n += details->shares[i];
    double target = q * (double)n;
    for (size_t i = 0; i < STEPS; i++) {
        seen += details->shares[i];
        if (seen > 0 && (double)seen >= target)
            return (double)i / RD_KV_SHARE_STEPS;
    }
    return 0;
}
