/* Implements the memory, compression, prefilling and checks of the scale tree. See scale_tree.h. */
#include "order/scale_tree.h"

#include <math.h>

/* A factor slightly below 1, so that rounding never raises a capacity above its exact value. */
#define ROUNDED_DOWN (1 - 0x1p-50)

/* Moves the nodes to new arrays with room for `room` nodes, and frees the old arrays. The new
 * t->left is empty, so no block may have left a node since the last compression. */
static rd_status make_room(rdi_scale_tree *t, size_t room) {
    size_t column = room * sizeof(uint64_t);
    char *memory = rdi_alloc(t->ctx, 1, 2 * column + rdi_prefix_counts_bytes(room));
    if (!memory)
        return RD_ENOMEM;
    uint64_t *time = (uint64_t *)(void *)memory, *upto = time + room;
    if (t->n) {
        memcpy(time, t->time, t->n * sizeof *time);
        memcpy(upto, t->upto, t->n * sizeof *upto);
    }
    rdi_free(t->ctx, t->memory);
    t->memory = memory;
    t->time = time;
    t->upto = upto;
    t->room = room;
    rdi_prefix_counts_init(&t->left, room, memory + 2 * column);
    return RD_OK;
}

static size_t limit_of(const rdi_scale_tree *t) {
    return (size_t)ceil(t->limit_slope * log(t->live > 1 ? (double)t->live : 1) + 4);
}

rd_status rdi_scale_tree_init(rdi_scale_tree *t, rd_ctx *ctx, double error) {
    *t = (rdi_scale_tree){.ctx = ctx};
    t->growth = error / (1 - error) * ROUNDED_DOWN;
    t->limit_slope = -4 / log1p(-error);
    t->limit = limit_of(t);
    return make_room(t, 2 * t->limit);
}

void rdi_scale_tree_fini(rdi_scale_tree *t) {
    if (t->ctx)
        rdi_free(t->ctx, t->memory);
    *t = (rdi_scale_tree){0};
}

/* Returns the number of blocks that a node with `newer` newer blocks may hold. */
static uint64_t capacity(const rdi_scale_tree *t, uint64_t newer) {
    return (uint64_t)((double)newer * t->growth) + 1;
}

/* Merges nodes from the newest to the oldest: a node is merged into the current new node as long as
 * the capacity allows. The new nodes are written to the end of the arrays, which has been read
 * already, and are then moved to the front. */
static void compress(rdi_scale_tree *t) {
    size_t n = t->n, to = n;
    uint64_t newer = 0, reach = 0; /* reach: largest `end` that fits into the current new node */
    for (size_t i = n; i-- > 0;) {
        uint64_t end = i ? rdi_scale_tree_newer(t, i - 1) : t->live;
        if (i == n - 1 || end > reach) {
            to--;
            t->time[to] = t->time[i];
            reach = newer + capacity(t, newer);
            /* The loop still reads upto[] of the nodes up to i - 1 and of the last node, so the
             * entry of the last node is set after the loop. Until then, upto[] of a new node is its
             * number of newer blocks. */
            if (to != n - 1)
                t->upto[to] = newer;
        }
        newer = end;
    }
    t->upto[n - 1] = 0;
    t->n = n - to;
    for (size_t i = 0; i < t->n; i++) {
        t->time[i] = t->time[to + i];
        t->upto[i] = t->live - t->upto[to + i];
    }
    rdi_prefix_counts_clear(&t->left, n);
    t->n_left = 0;
    t->compressed = t->n;
    t->found = 0;
    t->most_compressed = t->n > t->most_compressed ? t->n : t->most_compressed;
}

rd_status rdi_scale_tree_at_limit(rdi_scale_tree *t) {
    t->limit = limit_of(t);
    t->most = t->n > t->most ? t->n : t->most;
    if (t->n < t->limit && t->limit <= t->room)
        return RD_OK;
    compress(t); /* compresses even before growing, because make_room() needs an empty t->left */
    return t->limit <= t->room ? RD_OK : make_room(t, t->limit + t->limit / 2);
}

rd_status rdi_scale_tree_prefill(rdi_scale_tree *t, uint64_t blocks) {
    size_t n = 0;
    for (uint64_t newer = 0; newer < blocks; n++)
        newer += capacity(t, newer);
    t->live = t->now = blocks;
    t->limit = limit_of(t);
    RD_TRY(make_room(t, t->limit + t->limit / 2));
    t->n = t->compressed = n;
    uint64_t newer = 0;
    while (n-- > 0) {
        t->time[n] = blocks - 1 - newer;
        t->upto[n] = blocks - newer;
        newer += capacity(t, newer);
    }
    return RD_OK;
}

bool rdi_scale_tree_check(const rdi_scale_tree *t, const char **why) {
    uint64_t size = 0;
    *why = "scale tree: a node is out of order, larger than its capacity or of negative size";
    for (size_t i = t->n; i-- > 0;) {
        uint64_t newer = rdi_scale_tree_newer(t, i);
        uint64_t end = i ? rdi_scale_tree_newer(t, i - 1) : t->live;
        if (end < newer || end - newer > capacity(t, newer) || (i && t->time[i - 1] >= t->time[i]))
            return false;
        size += end - newer;
    }
    *why = "scale tree: the nodes do not hold `live` blocks in total";
    if (size != t->live)
        return false;
    *why = "scale tree: the current or the largest number of nodes exceeds its limit";
    return t->n < limit_of(t) && t->most <= limit_of(t);
}
