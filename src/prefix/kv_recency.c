/* Implements the LRU list of a log's blocks, by requests. See kv_recency.h. */
#include "prefix/kv_recency.h"

#define FIRST_ROOM 4096

rd_status rdi_kv_recency_init(rdi_kv_recency *r, rd_ctx *ctx) {
    *r = (rdi_kv_recency){.ctx = ctx, .room = FIRST_ROOM};
    r->owner = rdi_calloc(ctx, FIRST_ROOM + 1, sizeof *r->owner);
    return r->owner ? RD_OK : RD_ENOMEM;
}

void rdi_kv_recency_fini(rdi_kv_recency *r) {
    if (r->ctx)
        rdi_free(r->ctx, r->owner);
}

void rdi_kv_recency_add(rdi_kv_recency *r, uint32_t request, int64_t blocks) {
    r->owner[request].owned += (uint32_t)blocks;
    r->total += (uint64_t)blocks;
    for (size_t i = request; i <= r->room; i += i & (0 - i))
        r->owner[i].sum += (uint32_t)blocks;
}

uint64_t rdi_kv_recency_after(const rdi_kv_recency *r, uint32_t request) {
    uint64_t before = 0;
    for (size_t i = request; i > 0; i -= i & (0 - i))
        before += r->owner[i].sum;
    return r->total - before;
}

uint32_t rdi_kv_recency_begin(rdi_kv_recency *r, uint32_t time_ms) {
    uint32_t request = (uint32_t)++r->n;
    r->owner[request].length = r->owner[request].owned = 0;
    r->owner[request].time_ms = time_ms;
    return request;
}

/* Computes the sums of the tree from `owned`. */
static void sum_up(rdi_kv_recency *r) {
    for (size_t i = 1; i <= r->room; i++) {
        if (i > r->n)
            r->owner[i] = (rdi_kv_owner){0};
        r->owner[i].sum = r->owner[i].owned;
    }
    for (size_t i = 1; i <= r->room; i++) {
        size_t up = i + (i & (0 - i));
        if (up <= r->room)
            r->owner[up].sum += r->owner[i].sum;
    }
}

/* Moves the requests that own blocks to the beginning of the array. */
static rd_status drop_empty(rdi_kv_recency *r, uint32_t **renumbered) {
    uint32_t *map = rdi_calloc(r->ctx, r->n + 1, sizeof *map);
    size_t n = 0;
    if (!map)
        return RD_ENOMEM;
    for (size_t i = 1; i <= r->n; i++)
        if (r->owner[i].owned) {
            r->owner[++n] = r->owner[i];
            map[i] = (uint32_t)n;
        }
    r->n = n;
    *renumbered = map;
    return RD_OK;
}

rd_status rdi_kv_recency_grow(rdi_kv_recency *r, bool compact, uint32_t **renumbered) {
    *renumbered = NULL;
    if (compact)
        RD_TRY(drop_empty(r, renumbered));
    rd_status status = RD_OK;
    if (r->n > r->room / 2) {
        size_t room = 2 * r->room;
        rdi_kv_owner *grown = NULL;
        if (room > UINT32_MAX - 1)
            status =
                rdi_fail(r->ctx, RD_ERANGE,
                         "the log has more than 2 billion requests, the limit of this analysis; "
                         "analyze a shorter log");
        else if (!(grown = rdi_resize(r->ctx, r->owner, room + 1, sizeof *grown)))
            status = RD_ENOMEM;
        if (grown) {
            r->owner = grown;
            r->room = room;
        }
    }
    if (status == RD_OK) {
        sum_up(r);
    } else {
        rdi_free(r->ctx, *renumbered);
        *renumbered = NULL;
    }
    return status;
}
