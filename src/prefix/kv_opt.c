/* Computes Belady's bound with the prefix rule at chosen sizes, in one pass without reading ahead.
 *
 * The time between two consecutive requests is called a gap here; in a gap, the cache holds at most
 * C blocks. To be a hit, a block must stay from the request that touched it last to the request
 * that touches it now: it occupies all gaps of this interval. The best cache chooses as many
 * intervals as possible such that at most C of them share any gap. It is optimal to go through the
 * intervals in the order of their ends and to choose each interval whose gaps all have room,
 * because all intervals have the same value. Within a request, blocks are chosen front to back. The
 * interval of a block contains the intervals of the blocks before it in the request, because every
 * request that touches the block also touches the blocks before it. So if a block is chosen, the
 * blocks before it were chosen as well: the prefix rule holds by itself.
 *
 * Intervals are visited in the order of their ends, so each interval covers all gaps from its
 * beginning to the present. Let m(g) be the least room of all gaps from g to the present. m rises
 * with g, in steps. Choosing an interval that begins at gap g lowers m by 1 for all gaps from the
 * beginning of g's step on. `step` holds the rise at the beginning of each step. When a rise
 * reaches 0, the step joins the step before it (`link`, a union-find structure). The interval fits
 * unless g is in the lowest step, number 0, where m is 0.
 *
 * Time: nearly O(1) per touch and size. Memory: 8 bytes per request and size.
 */
#include "prefix/kv_state.h"

#define SIZE_MAX_BLOCKS (UINT32_MAX / 2)

static uint32_t find(uint32_t *link, uint32_t i) {
    while (link[i] != i) {
        link[i] = link[link[i]];
        i = link[i];
    }
    return i;
}

static rd_status reserve(rd_kv *kv, size_t requests) {
    if (requests < kv->opt_room)
        return RD_OK;
    size_t room = 2 * requests + 1024;
    for (size_t i = 0; i < kv->config.n_sizes; i++) {
        rdi_kv_opt *o = &kv->opt[i];
        uint32_t *link = rdi_resize(kv->ctx, o->link, room, sizeof *link);
        if (link)
            o->link = link;
        uint32_t *step = rdi_resize(kv->ctx, o->step, room, sizeof *step);
        if (step)
            o->step = step;
        if (!link || !step)
            return RD_ENOMEM;
        o->size = kv->config.sizes[i] < SIZE_MAX_BLOCKS ? kv->config.sizes[i] : SIZE_MAX_BLOCKS;
        if (kv->opt_room == 0)
            o->link[0] = o->step[0] = 0;
    }
    kv->opt_room = room;
    return RD_OK;
}

/* Adds the gap before a request. The gap has room for o->size blocks. */
static void add_gap(rdi_kv_opt *o, uint32_t gap) {
    uint64_t rise = o->size - o->sum;
    o->step[gap] = (uint32_t)rise;
    o->link[gap] = rise ? gap : gap - 1;
    o->sum = o->size;
}

static void take_blocks(rdi_kv_opt *o, const rdi_kv_seen *seen) {
    for (size_t i = 0; i < seen->row->n && seen->last[i] != 0; i++) {
        uint32_t begin = find(o->link, seen->last[i] + 1);
        if (begin == 0)
            return;
        if (--o->step[begin] == 0)
            o->link[begin] = begin - 1;
        o->sum--;
        o->block_hits++;
        o->token_hits += rdi_kv_block_tokens(seen, i);
    }
}

rd_status rdi_kv_opt_request(rd_kv *kv, const rdi_kv_seen *seen) {
    RD_TRY(reserve(kv, (size_t)seen->number + 1));
    for (size_t i = 0; i < kv->config.n_sizes; i++) {
        add_gap(&kv->opt[i], (uint32_t)seen->number);
        if (seen->row->counted)
            take_blocks(&kv->opt[i], seen);
    }
    return RD_OK;
}

void rdi_kv_opt_fini(rd_kv *kv) {
    for (size_t i = 0; i < RD_KV_SIZES_MAX; i++) {
        rdi_free(kv->ctx, kv->opt[i].link);
        rdi_free(kv->ctx, kv->opt[i].step);
    }
}

rd_status rd_kv_bound_at(const rd_kv *kv, size_t index, rd_kv_bound *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, out);
    if (!kv->config.opt || index >= kv->config.n_sizes)
        return rdi_fail(kv->ctx, RD_EINVAL,
                        "Belady's bound was not computed for the size with the index %zu; set "
                        "rd_kv_config.opt, and pass an index below rd_kv_config.n_sizes",
                        index);
    const rdi_kv_opt *o = &kv->opt[index];
    rd_kv_point lru;
    RD_TRY(rd_kv_at(kv, kv->config.sizes[index], &lru));
    uint64_t most = o->block_hits * kv->config.block_tokens;
    *out = (rd_kv_bound){
        .size_blocks = kv->config.sizes[index],
        .block_hits = o->block_hits,
        .token_low = o->token_hits > lru.token_hits ? o->token_hits : lru.token_hits,
        .token_high = most < kv->totals.token_hits ? most : kv->totals.token_hits,
    };
    return RD_OK;
}
