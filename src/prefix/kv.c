/* Finds the hits of every cache size in one pass over a log.
 *
 * Why one pass is enough: let the rank of a block be the number of blocks that were used more
 * recently when its request arrives. A cache of C blocks holds the block exactly if the rank is
 * below C. By the prefix rule the block is a hit exactly if its worst rank is below C: the largest
 * rank among the block and the blocks before it in its request. So the counts of the worst ranks
 * give the hits of all sizes.
 *
 * Ranks need no look-up in an order structure per block, because the blocks of a log form trees: a
 * hash identifies all blocks before it, and every request touches a path from a root. Consecutive
 * blocks of a request that belong to the same earlier request are a group. All blocks that belong
 * to requests after that earlier request were used more recently than the group (kv_recency.h
 * counts them once per group). Some blocks of the earlier request itself were also used more
 * recently than a given block of the group: the blocks after it on the path if blocks are touched
 * front to back, or, if they are touched tail first, the blocks before it that the earlier request
 * still owns.
 *
 * A log in which a hash follows two different hashes does not form trees and is refused.
 *
 * Time: one look-up in a table per block, and O(log requests) per group. Memory: O(distinct
 * blocks); Belady's bound needs more (kv_opt.c).
 */
#include "prefix/kv_state.h"

#include "base/sized.h"

#include <inttypes.h>
#include <string.h>

#define BATCH_TOUCHES 16384 /* a batch is processed when it has this many touches or requests */
#define AHEAD         24    /* number of touches between a prefetch and its use */

/* ---- opening ---- */

static rd_status check_config(rd_kv *kv) {
    rd_kv_config *c = &kv->config;
    if (c->block_tokens == 0)
        c->block_tokens = 1;
    if (c->n_sizes > RD_KV_SIZES_MAX || c->n_tiers > RD_KV_TIERS_MAX)
        return rdi_fail(kv->ctx, RD_EINVAL, "at most %d sizes and %d tiers are allowed",
                        RD_KV_SIZES_MAX, RD_KV_TIERS_MAX);
    for (size_t i = 1; i < c->n_sizes; i++)
        if (c->sizes[i] <= c->sizes[i - 1])
            return rdi_fail(kv->ctx, RD_EINVAL,
                            "the cache sizes must be in ascending order, but a size of %" PRIu64
                            " blocks follows one of %" PRIu64 " blocks",
                            c->sizes[i], c->sizes[i - 1]);
    for (size_t i = 1; i < c->n_tiers; i++)
        if (c->tiers[i] < c->tiers[i - 1])
            return rdi_fail(kv->ctx, RD_EINVAL,
                            "a tier of %" PRIu64 " blocks follows a faster tier of %" PRIu64
                            " blocks; it must not be smaller than the faster tier",
                            c->tiers[i], c->tiers[i - 1]);
    return RD_OK;
}

static rd_status start(rd_kv *kv, const rd_kv_config *config) {
    RD_TRY(rdi_sized_copy(kv->ctx, "rd_kv_config", config, &kv->config, sizeof kv->config));
    RD_TRY(check_config(kv));
    kv->totals.block_tokens = kv->config.block_tokens;
    kv->totals.first_us = kv->totals.last_us = RD_KV_NO_TIME;
    kv->seen.block_tokens = kv->config.block_tokens;
    for (size_t i = 0; i < kv->config.n_tiers; i++)
        kv->tiers[i].end_blocks = kv->config.tiers[i];
    RD_TRY(rdi_kv_blocks_init(&kv->blocks, kv->ctx));
    RD_TRY(rdi_kv_recency_init(&kv->recency, kv->ctx));
    return rdi_kv_details_init(kv);
}

rd_status rd_kv_new(rd_ctx *ctx, const rd_kv_config *config, rd_kv **out) {
    RDI_NEED(ctx, ctx, config, out);
    rd_kv *kv = rdi_calloc(ctx, 1, sizeof *kv);
    if (!kv)
        return RD_ENOMEM;
    kv->ctx = ctx;
    rd_status status = start(kv, config);
    if (status == RD_OK)
        *out = kv;
    else
        rd_kv_free(kv);
    return status;
}

void rd_kv_free(rd_kv *kv) {
    if (!kv)
        return;
    rdi_kv_blocks_fini(&kv->blocks);
    rdi_kv_details_fini(kv);
    rdi_kv_opt_fini(kv);
    rdi_u64_list_free(kv->ctx, &kv->touches);
    rdi_free(kv->ctx, kv->rows);
    rdi_free(kv->ctx, kv->seen.rank);
    rdi_free(kv->ctx, kv->seen.distance);
    rdi_free(kv->ctx, kv->seen.last);
    rdi_kv_recency_fini(&kv->recency);
    if (kv->hits)
        rdi_pages_free(kv->ctx, kv->hits, kv->hits_room * sizeof *kv->hits);
    rdi_free(kv->ctx, kv);
}

/* ---- the pass ---- */

static rd_status contradiction(const rd_kv *kv, const rdi_kv_row *row, const rdi_kv_block *block) {
    const char *name = kv->config.name ? kv->config.name : "the log";
    if (block->request == kv->number)
        return rdi_fail(
            kv->ctx, RD_EFORMAT,
            "%s: %s %" PRIu64 ": the block %" PRIu64
            " occurs twice in this request; if a hash identifies its block only, not the "
            "blocks before it, use --ids=content",
            name, row->numbered ? "request" : "line", row->line, block->id);
    return rdi_fail(kv->ctx, RD_EFORMAT,
                    "%s: %s %" PRIu64 ": the block %" PRIu64
                    " followed another block in an earlier request, so its hash does not identify "
                    "all blocks before it; if a hash identifies its block only, use --ids=content",
                    name, row->numbered ? "request" : "line", row->line, block->id);
}

static rd_status no_tree(const rd_kv *kv, const rdi_kv_row *row) {
    return rdi_fail(kv->ctx, RD_EFORMAT,
                    "%s: %s %" PRIu64 ": the hashes contradict those of earlier requests; if "
                    "a hash identifies its block only, use --ids=content",
                    kv->config.name ? kv->config.name : "the log",
                    row->numbered ? "request" : "line", row->line);
}

static rd_status reserve_seen(rd_kv *kv, size_t n) {
    rdi_kv_seen *seen = &kv->seen;
    if (n <= seen->room)
        return RD_OK;
    uint64_t *rank = rdi_resize(kv->ctx, seen->rank, 2 * n, sizeof *rank);
    if (rank)
        seen->rank = rank;
    uint64_t *distance = rdi_resize(kv->ctx, seen->distance, 2 * n, sizeof *distance);
    if (distance)
        seen->distance = distance;
    uint32_t *last = rdi_resize(kv->ctx, seen->last, 2 * n, sizeof *last);
    if (last)
        seen->last = last;
    if (!rank || !distance || !last)
        return RD_ENOMEM;
    seen->room = 2 * n;
    return RD_OK;
}

/* Returns the bin of the time between two uses of a block, one of RD_KV_GAPS bins. */
static size_t gap_bin(uint32_t now_ms, uint32_t then_ms) {
    unsigned bin = now_ms > then_ms ? rdi_bit_width(now_ms - then_ms) : 0;
    return bin < RD_KV_GAPS ? bin : RD_KV_GAPS - 1;
}

/* Returns the end of the group of blocks that begins at `first`. */
static size_t group_end(const rdi_kv_seen *seen, size_t first) {
    size_t end = first + 1;
    while (end < seen->row->n && seen->last[end] == seen->last[first])
        end++;
    return end;
}

/* Sets ranks and distances of the group of blocks [first, end) of a request. `before` is the
 * request that touched these blocks last. If blocks are touched front to back, the first block of a
 * group has the largest rank, so the curve needs only this rank. Then nothing is set for the other
 * blocks of the group, unless there are tiers. Returns false if the blocks do not form trees. */
static bool rank_group(rd_kv *kv, size_t first, size_t end, uint32_t before) {
    rdi_kv_seen *seen = &kv->seen;
    const rdi_kv_owner *owner = &kv->recency.owner[before];
    uint64_t above = rdi_kv_recency_after(&kv->recency, before);
    size_t taken = owner->length - owner->owned; /* blocks of the path that later requests own */
    bool tail = kv->config.order == RD_KV_TAIL;
    if (first < taken || end > owner->length)
        return false;
    size_t ranked = tail || kv->config.n_tiers ? end : first + 1;
    for (size_t i = first; i < ranked; i++) {
        seen->rank[i] = above + (tail ? i - taken : owner->length - 1 - i);
        seen->distance[i] = seen->rank[i] + (tail ? seen->row->n - 1 - i : i - first);
    }
    return true;
}

/* For each block of the request, stores in seen->last the number of the request that touched it
 * last, and replaces that number in the table by the number of the current request. The new blocks
 * of a request are at its end, because only new blocks follow a new block. */
static rd_status find_blocks(rd_kv *kv, const rdi_kv_row *row) {
    rdi_kv_seen *seen = &kv->seen;
    const uint64_t *ids = kv->touches.at + row->first;
    uint32_t parent = RDI_KV_NO_PARENT;
    size_t ahead = kv->touches.n - row->first; /* touches from this request to the batch's end */
    for (size_t i = 0; i < row->n; i++) {
        if (i + AHEAD < ahead)
            rdi_kv_blocks_prefetch(&kv->blocks, ids[i + AHEAD]);
        rdi_kv_block *block = rdi_kv_blocks_find(&kv->blocks, ids[i]);
        uint32_t last = block->request;
        if (last == 0) {
            *block = (rdi_kv_block){.id = ids[i], .parent = parent};
            kv->blocks.n++;
        } else if (RDI_UNLIKELY(block->parent != parent || last == kv->number)) {
            return contradiction(kv, row, block);
        }
        block->request = kv->number;
        seen->last[i] = last;
        parent = rdi_kv_mark(ids[i]);
    }
    return RD_OK;
}

/* Ranks the blocks of the current request group by group, then makes this request their owner. */
static rd_status rank_blocks(rd_kv *kv, const rdi_kv_row *row) {
    rdi_kv_seen *seen = &kv->seen;
    size_t first = 0, end = 0;
    for (; first < row->n && seen->last[first] != 0; first = end) {
        uint32_t before = seen->last[first];
        end = group_end(seen, first);
        if (!rank_group(kv, first, end, before))
            return no_tree(kv, row);
        if (row->time_us != RD_KV_NO_TIME)
            kv->gaps[gap_bin(kv->recency.owner[kv->number].time_ms,
                             kv->recency.owner[before].time_ms)] += end - first;
    }
    for (size_t i = first; i < row->n; i++)
        if (seen->last[i] != 0)
            return no_tree(kv, row);
        else
            seen->rank[i] = seen->distance[i] = RD_COLD;
    for (first = 0; first < row->n && seen->last[first] != 0; first = end) {
        end = group_end(seen, first);
        rdi_kv_recency_add(&kv->recency, seen->last[first], -(int64_t)(end - first));
    }
    kv->recency.owner[kv->number].length = (uint32_t)row->n;
    rdi_kv_recency_add(&kv->recency, kv->number, (int64_t)row->n);
    return RD_OK;
}

/* Gives the request a number. If there is no room for another number, requests that own no blocks
 * lose their numbers, and all other requests get new numbers in the same order. If Belady's bound
 * is computed, all requests keep their numbers, because the bound needs them. */
static rd_status number_request(rd_kv *kv, const rdi_kv_row *row) {
    uint64_t ms = row->time_us / 1000;
    if (rdi_kv_recency_full(&kv->recency)) {
        uint32_t *numbers = NULL;
        RD_TRY(rdi_kv_recency_grow(&kv->recency, !kv->config.opt, &numbers));
        for (size_t i = 0; numbers && i <= kv->blocks.mask; i++)
            kv->blocks.slot[i].request = numbers[kv->blocks.slot[i].request];
        rdi_free(kv->ctx, numbers);
    }
    kv->number = rdi_kv_recency_begin(&kv->recency, (uint32_t)(ms < UINT32_MAX ? ms : UINT32_MAX));
    return RD_OK;
}

/* Adds `n` blocks with `tokens` tokens in total, which are hits at all sizes above `worst`
 * blocks. */
static rd_status add_hits(rd_kv *kv, uint64_t worst, uint64_t n, uint64_t tokens) {
    kv->hits[worst].blocks += n;
    kv->hits[worst].tokens += tokens;
    kv->totals.block_hits += n;
    kv->totals.token_hits += tokens;
    kv->totals.end = worst >= kv->totals.end ? worst + 1 : kv->totals.end;
    return rdi_kv_details_run(kv, worst, tokens);
}

/* Counts the hits of a request. Blocks with the same worst rank are counted together. The new
 * blocks at the end of the request cannot be hits. */
static rd_status count_hits(rd_kv *kv) {
    const rdi_kv_seen *seen = &kv->seen;
    bool tail = kv->config.order == RD_KV_TAIL;
    uint64_t worst = 0, n = 0, tokens = 0;
    for (size_t i = 0, end; i < seen->row->n && seen->last[i] != 0; i = end) {
        end = tail ? i + 1 : group_end(seen, i);
        if (seen->rank[i] > worst) {
            if (n)
                RD_TRY(add_hits(kv, worst, n, tokens));
            worst = seen->rank[i];
            n = tokens = 0;
        }
        n += end - i;
        tokens += (end - 1 - i) * seen->block_tokens + rdi_kv_block_tokens(seen, end - 1);
    }
    return n ? add_hits(kv, worst, n, tokens) : RD_OK;
}

static void count_request(rd_kv *kv, const rdi_kv_row *row) {
    rd_kv_totals *t = &kv->totals;
    t->requests++;
    t->empty += row->prompt_tokens == 0;
    t->blocks += row->n;
    t->tokens += row->prompt_tokens;
    t->turns |= row->turn != 0;
}

static rd_status take_request(rd_kv *kv, const rdi_kv_row *row) {
    rdi_kv_seen *seen = &kv->seen;
    RD_TRY(reserve_seen(kv, row->n));
    RD_TRY(number_request(kv, row));
    seen->row = row;
    RD_TRY(find_blocks(kv, row));
    RD_TRY(rank_blocks(kv, row));
    uint64_t full = row->prompt_tokens / kv->config.block_tokens;
    seen->number = kv->number;
    seen->last_tokens =
        row->n > full ? row->prompt_tokens % kv->config.block_tokens : kv->config.block_tokens;
    if (kv->config.opt)
        RD_TRY(rdi_kv_opt_request(kv, seen));
    if (kv->config.n_tiers)
        rdi_kv_tiers_request(kv, seen, rdi_kv_window(kv, row->time_us));
    if (!row->counted)
        return RD_OK;
    count_request(kv, row);
    RD_TRY(count_hits(kv));
    rdi_kv_details_end(kv, row);
    return RD_OK;
}

static rd_status reserve_counts(rd_kv *kv) {
    uint64_t need = kv->blocks.n + kv->touches.n;
    void *hits = kv->hits;
    rd_status status = rdi_pages_grow_array(kv->ctx, &hits, &kv->hits_room,
                                            need > kv->hits_room ? 2 * need : 0, sizeof *kv->hits);
    kv->hits = hits;
    return status;
}

/* Analyzes the requests of the batch one after the other. The table entries are prefetched. */
static rd_status process(rd_kv *kv) {
    size_t n = kv->touches.n;
    RD_TRY(rdi_kv_blocks_reserve(&kv->blocks, n));
    RD_TRY(reserve_counts(kv));
    for (size_t i = 0; i < kv->n_rows; i++)
        RD_TRY(take_request(kv, &kv->rows[i]));
    kv->n_rows = kv->touches.n = 0;
    return RD_OK;
}

/* ---- requests ---- */

static rd_status add_row(rd_kv *kv, const rd_kv_request *r, const uint64_t *blocks, size_t n,
                         bool counted, uint64_t time_us) {
    if (kv->n_rows == kv->rows_room) {
        rdi_kv_row *grown = rdi_grow(kv->ctx, kv->rows, &kv->rows_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        kv->rows = grown;
    }
    kv->rows[kv->n_rows++] = (rdi_kv_row){.first = kv->touches.n,
                                          .n = n,
                                          .prompt_tokens = r->prompt_tokens,
                                          .time_us = time_us,
                                          .line = r->line,
                                          .numbered = r->numbered,
                                          .turn = r->turn,
                                          .counted = counted};
    return rdi_u64_list_append(kv->ctx, &kv->touches, blocks, n);
}

/* Returns the time of a request in microseconds since the first request, or RD_KV_NO_TIME if it is
 * unknown. A request that is earlier than the latest time so far gets the latest time. */
static uint64_t order_time(rd_kv *kv, uint64_t time_us) {
    rd_kv_totals *t = &kv->totals;
    if (time_us == RD_KV_NO_TIME)
        return time_us;
    if (t->first_us == RD_KV_NO_TIME)
        t->first_us = t->last_us = time_us;
    t->unordered += time_us < t->last_us;
    t->last_us = time_us > t->last_us ? time_us : t->last_us;
    return t->last_us - t->first_us;
}

static rd_status check_request(const rd_kv *kv, const rd_kv_request *r) {
    uint64_t full = r->prompt_tokens / kv->config.block_tokens;
    bool rest = r->prompt_tokens % kv->config.block_tokens != 0;
    if (r->n_blocks)
        RDI_NEED(kv->ctx, r->blocks);
    if (r->n_blocks != full && r->n_blocks != full + rest)
        return rdi_fail(kv->ctx, RD_EINVAL,
                        "the request's number of blocks, %zu, does not match its %" PRIu64
                        " prompt tokens in blocks of %" PRIu64 " tokens",
                        r->n_blocks, r->prompt_tokens, kv->config.block_tokens);
    if (kv->config.outputs && !r->sequence && r->output_tokens)
        return rdi_fail(kv->ctx, RD_EINVAL,
                        "%s: %s %" PRIu64 ": --outputs=cache needs the blocks of generated "
                        "tokens; use a log with the token ids of prompts and outputs",
                        kv->config.name ? kv->config.name : "the log",
                        r->numbered ? "request" : "line", r->line);
    return RD_OK;
}

rd_status rd_kv_feed(rd_kv *kv, const rd_kv_request *r) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, r);
    if (kv->finished)
        return rdi_fail(kv->ctx, RD_ESTATE, "the analysis is finished and takes no more requests");
    RD_TRY(check_request(kv, r));
    uint64_t time_us = order_time(kv, r->time_us);
    uint64_t full = r->prompt_tokens / kv->config.block_tokens;
    size_t n = kv->config.full_only && r->n_blocks > full ? (size_t)full : r->n_blocks;
    kv->totals.output_tokens += r->output_tokens;
    RD_TRY(add_row(kv, r, r->blocks, n, true, time_us));
    if (kv->config.outputs && r->n_sequence > full)
        RD_TRY(add_row(kv, r, r->sequence, r->n_sequence, false, time_us));
    return kv->touches.n >= BATCH_TOUCHES || kv->n_rows >= BATCH_TOUCHES ? process(kv) : RD_OK;
}

rd_status rd_kv_finish(rd_kv *kv) {
    RDI_NEED(kv ? kv->ctx : NULL, kv);
    if (kv->finished)
        return RD_OK;
    RD_TRY(process(kv));
    kv->totals.distinct = kv->blocks.n;
    for (uint64_t i = 1; i < kv->totals.end; i++) {
        kv->hits[i].blocks += kv->hits[i - 1].blocks;
        kv->hits[i].tokens += kv->hits[i - 1].tokens;
    }
    rdi_kv_tiers_finish(kv);
    kv->finished = true;
    return RD_OK;
}

/* ---- results ---- */

rd_ctx *rd_kv_ctx(const rd_kv *kv) {
    return kv ? kv->ctx : NULL;
}

const rd_kv_config *rd_kv_config_of(const rd_kv *kv) {
    return kv ? &kv->config : NULL;
}

rd_kv_totals rd_kv_totals_of(const rd_kv *kv) {
    return kv ? kv->totals : (rd_kv_totals){0};
}

rd_status rd_kv_at(const rd_kv *kv, uint64_t blocks, rd_kv_point *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, out);
    if (!kv->finished)
        return rdi_fail(kv->ctx, RD_ESTATE,
                        "the analysis is not finished; call rd_kv_finish() first");
    uint64_t at = blocks < kv->totals.end ? blocks : kv->totals.end;
    *out = (rd_kv_point){.size_blocks = blocks};
    if (at) {
        out->block_hits = kv->hits[at - 1].blocks;
        out->token_hits = kv->hits[at - 1].tokens;
    }
    return RD_OK;
}

rd_status rd_kv_size_for(const rd_kv *kv, double share, uint64_t *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, out);
    if (!kv->finished)
        return rdi_fail(kv->ctx, RD_ESTATE,
                        "the analysis is not finished; call rd_kv_finish() first");
    double need = share * (double)kv->totals.tokens;
    uint64_t low = 0, high = kv->totals.end;
    if ((double)kv->totals.token_hits < need) {
        *out = RD_KV_NO_SIZE;
        return RD_OK;
    }
    while (low < high) { /* the smallest size with enough hits is in [low, high] */
        uint64_t middle = low + (high - low) / 2;
        uint64_t hits = middle ? kv->hits[middle - 1].tokens : 0;
        if ((double)hits >= need)
            high = middle;
        else
            low = middle + 1;
    }
    *out = low;
    return RD_OK;
}
