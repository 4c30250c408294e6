/* Implements stretches of time. See stretches.h. */
#include "objects/stretches.h"

#include "profile/hist.h"

#include <inttypes.h>
#include <string.h>

/* Returns whether a bin of stretches ends at `end`: if it is a power of two, one of the n cache
 * sizes or the end of the last bin. */
static bool is_row_end(uint64_t end, const uint64_t *sizes, size_t n) {
    if ((end & (end - 1)) == 0 || end == UINT64_MAX)
        return true;
    for (size_t i = 0; i < n; i++)
        if (sizes[i] == end)
            return true;
    return false;
}

rd_status rdi_stretches_init(rdi_stretches *s, rd_ctx *ctx, uint64_t every, const rdi_byte_bins *b,
                             const uint64_t *sizes, size_t n) {
    *s = (rdi_stretches){.every = every, .end = every ? every : UINT64_MAX, .arena = {.ctx = ctx}};
    if (!every)
        return RD_OK;
    s->count = rdi_calloc(ctx, b->n, sizeof *s->count);
    s->bytes = rdi_calloc(ctx, b->n, sizeof *s->bytes);
    s->is_end = rdi_alloc(ctx, b->n, sizeof *s->is_end);
    if (!s->count || !s->bytes || !s->is_end)
        return RD_ENOMEM;
    for (size_t i = 0; i < b->n; i++)
        s->is_end[i] = is_row_end(b->bin[i].end, sizes, n);
    return RD_OK;
}

void rdi_stretches_fini(rdi_stretches *s, rd_ctx *ctx) {
    rdi_free(ctx, s->count);
    rdi_free(ctx, s->bytes);
    rdi_free(ctx, s->is_end);
    rdi_free(ctx, s->row);
    rdi_arena_fini(&s->arena);
}

/* Writes the bins that are not empty to `out`, or only counts them if `out` is NULL. Returns their
 * number. */
static size_t collect_bins(const rdi_stretches *s, const rdi_byte_bins *b, rd_stretch_bin *out) {
    size_t n = 0;
    uint64_t low = 0, count = 0;
    rdi_u128 bytes = 0;
    for (size_t i = 0; i < b->n; i++) {
        count += b->bin[i].count - s->count[i];
        bytes += b->bin[i].bytes - s->bytes[i];
        if (!s->is_end[i])
            continue;
        if (count && out)
            out[n] = (rd_stretch_bin){low, b->bin[i].end - 1, count, rdi_sum_narrow(bytes)};
        n += count > 0;
        low = b->bin[i].end;
        count = 0;
        bytes = 0;
    }
    return n;
}

static rd_traffic difference(rdi_traffic now, rdi_traffic before) {
    return (rd_traffic){now.requests - before.requests, rdi_sum_narrow(now.bytes - before.bytes)};
}

/* Makes the row of the current stretch, with its bins in the arena. */
static rd_status make_row(const rdi_stretches *s, rdi_arena *arena, const rdi_byte_bins *b,
                          const rdi_object_totals *now, rd_stretch *out) {
    size_t n = collect_bins(s, b, NULL);
    rd_stretch_bin *bins = rdi_arena_alloc(arena, n ? n : 1, sizeof *bins);
    if (!bins)
        return RD_ENOMEM;
    collect_bins(s, b, bins);
    *out = (rd_stretch){.from = s->from,
                        .counted = difference(now->counted, s->before.counted),
                        .cold = difference(now->cold, s->before.cold),
                        .deleted = difference(now->deleted, s->before.deleted),
                        .expired = difference(now->expired, s->before.expired),
                        .bins = bins,
                        .n_bins = n};
    return RD_OK;
}

static bool is_empty(const rdi_stretches *s, const rdi_object_totals *now) {
    return now->counted.requests == s->before.counted.requests;
}

/* Adds a row for the current stretch, which has ended. */
static rd_status add_row(rdi_stretches *s, rd_ctx *ctx, const rdi_byte_bins *b,
                         const rdi_object_totals *now) {
    if (s->n == RD_STRETCHES_MAX - 1) /* one more row is for the stretch that has not ended */
        return rdi_fail(
            ctx, RD_ERANGE,
            "there are requests in more than %d stretches of time; choose longer stretches "
            "(--every)",
            RD_STRETCHES_MAX);
    if (s->n == s->room) {
        void *grown = rdi_grow(ctx, s->row, &s->room, sizeof *s->row);
        if (!grown)
            return RD_ENOMEM;
        s->row = grown;
    }
    RD_TRY(make_row(s, &s->arena, b, now, &s->row[s->n]));
    s->n++;
    for (size_t i = 0; i < b->n; i++) {
        s->count[i] = b->bin[i].count;
        s->bytes[i] = b->bin[i].bytes;
    }
    s->before = *now;
    return RD_OK;
}

void rdi_stretches_turn(rdi_stretches *s, rd_ctx *ctx, const rdi_byte_bins *b,
                        const rdi_object_totals *now, uint64_t time) {
    if (s->status == RD_OK && !is_empty(s, now))
        s->status = add_row(s, ctx, b, now);
    s->from = time - time % s->every;
    if (__builtin_add_overflow(s->from, s->every, &s->end))
        s->end = UINT64_MAX;
}

/* The current stretch has not ended, so its row is made for this section only. */
rd_status rdi_stretches_section_of(const rdi_stretches *s, rd_ctx *ctx, const rdi_byte_bins *b,
                                   const rdi_object_totals *now, rdi_stretches_section **out) {
    rdi_arena arena = {.ctx = ctx};
    rd_status status = RD_OK;
    size_t n = s->n + !is_empty(s, now);
    rd_stretch *rows = rdi_arena_alloc(&arena, n + 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    if (s->n)
        memcpy(rows, s->row, s->n * sizeof *rows);
    if (n > s->n)
        status = make_row(s, &arena, b, now, &rows[s->n]);
    if (status == RD_OK)
        status = rdi_stretches_section_new(ctx, &(rd_stretches){s->every, rows, n}, out);
    rdi_arena_fini(&arena);
    return status;
}
