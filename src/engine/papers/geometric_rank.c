/* Implements rdi_geometric_rank(), which computes ranks by merging: log2(n) steps lead from runs of
 * one point to a single run. See geometric_core.h.
 *
 * The first steps run tile by tile, inside the processor's cache, and make_run() does the first
 * four of them at once. In later steps every worker computes its share of the result, and a binary
 * search finds where that share begins in the two runs.
 */
#include "engine/papers/geometric.h"

#define TILE        4096u /* points in a tile; a power of two and a multiple of RDI_LANES_RUN */
#define SHARE_LEAST 4096u

typedef struct ranking {
    const rdi_round *round;
    const rdi_lanes *lanes;
    const uint32_t *next;
    rdi_point *from, *to;
    uint32_t n, width;
} ranking;

/* Turns one tile of next times into one sorted run of points in r->from. */
static void rank_tile(const ranking *r, uint32_t begin, uint32_t n) {
    rdi_point *from = r->from + begin, *to = r->to + begin;
    for (uint32_t at = 0; at < n; at += RDI_LANES_RUN) {
        uint32_t run = n - at < RDI_LANES_RUN ? n - at : RDI_LANES_RUN;
        r->lanes->make_run(r->next + begin + at, begin + at, run, from + at);
    }
    for (uint32_t width = RDI_LANES_RUN; width < TILE; width *= 2) {
        rdi_points_merge_runs(from, n, width, 0, n, to);
        rdi_point *swap = from;
        from = to;
        to = swap;
    }
    _Static_assert(TILE / RDI_LANES_RUN == 256,
                   "the number of merge steps must be even, so that r->from has the result");
}

static void rank_tiles(void *arg, unsigned worker) {
    const ranking *r = arg;
    uint32_t tiles = (uint32_t)(((uint64_t)r->n + TILE - 1) / TILE);
    uint32_t end = (uint32_t)rdi_round_begin(r->round, tiles, worker + 1);
    for (uint32_t i = (uint32_t)rdi_round_begin(r->round, tiles, worker); i < end; i++) {
        uint32_t begin = i * TILE;
        rank_tile(r, begin, r->n - begin < TILE ? r->n - begin : TILE);
    }
}

static void merge_part(void *arg, unsigned worker) {
    const ranking *r = arg;
    rdi_points_merge_runs(r->from, r->n, r->width,
                          (uint32_t)rdi_round_begin(r->round, r->n, worker),
                          (uint32_t)rdi_round_begin(r->round, r->n, worker + 1), r->to);
}

rd_status rdi_geometric_rank(rdi_round *round, const rdi_lanes *lanes, uint32_t n,
                             rdi_geometric_memory *memory, const rdi_point **out) {
    RD_TRY(rdi_room_fit(round->run->ctx, &memory->work, n, sizeof(rdi_point)));
    RD_TRY(rdi_room_fit(round->run->ctx, &memory->work2, n, sizeof(rdi_point)));
    ranking r = {round, lanes, memory->next.at, memory->work.at, memory->work2.at, n, TILE};
    rdi_round_share(round, n, SHARE_LEAST);
    rdi_round_run(round, rank_tiles, &r);
    for (uint64_t width = TILE; width < n; width *= 2) {
        r.width = (uint32_t)width;
        rdi_round_run(round, merge_part, &r);
        rdi_point *swap = r.from;
        r.from = r.to;
        r.to = swap;
    }
    *out = r.from;
    return RD_OK;
}
