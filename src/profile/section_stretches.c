/* Section "stretches": requests of objects by stretches of time. A merged profile does not have
 * this section, because its runs have no common time. */
#include "profile/section_stretches.h"

#include "profile/hist.h"
#include "profile/profile_reader.h"
#include "profile/section_objects.h"

#include <string.h>

static void stretches_free(rd_ctx *ctx, void *data) {
    rdi_arena_fini(&((rdi_stretches_section *)data)->arena);
    rdi_free(ctx, data);
}

static rd_status copy_rows(rdi_arena *arena, const rd_stretches *all, rd_stretches *to) {
    rd_stretch *rows = rdi_arena_alloc(arena, all->n ? all->n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < all->n; i++) {
        const rd_stretch *from = &all->rows[i];
        rd_stretch_bin *bins = rdi_arena_alloc(arena, from->n_bins + 1, sizeof *bins);
        if (!bins)
            return RD_ENOMEM;
        if (from->n_bins)
            memcpy(bins, from->bins, from->n_bins * sizeof *bins);
        rows[i] = *from;
        rows[i].bins = bins;
    }
    *to = (rd_stretches){.every = all->every, .rows = rows, .n = all->n};
    return RD_OK;
}

rd_status rdi_stretches_section_new(rd_ctx *ctx, const rd_stretches *all,
                                    rdi_stretches_section **out) {
    rdi_stretches_section *s = rdi_calloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->arena.ctx = ctx;
    rd_status status = copy_rows(&s->arena, all, &s->is);
    if (status == RD_OK)
        *out = s;
    else
        stretches_free(ctx, s);
    return status;
}

const rd_stretches *rd_profile_stretches(const rd_profile *p) {
    const rdi_stretches_section *s = p ? rdi_profile_section(p, &rdi_section_stretches) : NULL;
    return s ? &s->is : NULL;
}

/* ---- reading ---- */

static void read_bins(rdi_profile_reader *r, void *field) {
    rd_stretch *to = field;
    size_t room = rdi_count_items(&r->j);
    rd_stretch_bin *bins = rdi_read_take(r, room, sizeof *bins);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && bins && to->n_bins < room) {
        rdi_u128 row[4] = {0};
        rdi_read_row(&r->j, row, RDI_COUNT(row));
        bins[to->n_bins++] = (rd_stretch_bin){(uint64_t)row[0], (uint64_t)row[1], (uint64_t)row[2],
                                              rdi_sum_narrow(row[3])};
    }
    to->bins = bins;
}

#define FIELD(name, read, member)                                                                  \
    { name, read, offsetof(rd_stretch, member), true }

static void read_rows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        FIELD("from", rdi_read_u64, from),
        FIELD("counted", rdi_read_traffic, counted),
        FIELD("cold", rdi_read_traffic, cold),
        FIELD("deleted", rdi_read_traffic, deleted),
        FIELD("expired", rdi_read_traffic, expired),
        {"histogram", read_bins, 0, true},
        {0},
    };
    rd_stretches *all = field;
    size_t room = rdi_count_items(&r->j);
    rd_stretch *rows = rdi_read_take(r, room, sizeof *rows);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && rows && all->n < room)
        rdi_read_object(r, fields, &rows[all->n++]);
    all->rows = rows;
}

static void stretches_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"every", rdi_read_u64, offsetof(rd_stretches, every), true},
        {"rows", read_rows, 0, true},
        {0},
    };
    rdi_stretches_section *s = rdi_calloc(r->j.ctx, 1, sizeof *s);
    *data = s;
    if (!s) {
        r->j.status = RD_ENOMEM;
        return;
    }
    s->arena.ctx = r->j.ctx;
    r->arena = &s->arena;
    rdi_read_object(r, fields, &s->is);
}

/* ---- checks ---- */

/* Returns whether the bins ascend, and they and the misses add up to the counted requests and bytes. */
static bool adds_up(const rd_stretch *s) {
    rdi_u128 requests = (rdi_u128)s->cold.requests + s->deleted.requests + s->expired.requests;
    rdi_u128 bytes = rdi_sum_wide(s->cold.bytes) + rdi_sum_wide(s->deleted.bytes) +
                     rdi_sum_wide(s->expired.bytes);
    for (size_t i = 0; i < s->n_bins; i++) {
        const rd_stretch_bin *b = &s->bins[i];
        if (b->low > b->high || b->high == UINT64_MAX || (i && b->low <= b[-1].high))
            return false;
        requests += b->requests;
        bytes += rdi_sum_wide(b->bytes);
    }
    return requests == s->counted.requests && bytes == rdi_sum_wide(s->counted.bytes);
}

static const char *stretches_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_stretches *all = data;
    rdi_u128 requests = 0;
    if (all->every == 0)
        return "the length of the stretches of time is 0";
    if (all->n > RD_STRETCHES_MAX)
        return "there are too many stretches of time";
    for (size_t i = 0; i < all->n; i++) {
        const rd_stretch *s = &all->rows[i];
        if (s->from % all->every || (i && s->from <= s[-1].from))
            return "the stretches of time do not begin at ascending multiples of their length";
        if (!adds_up(s))
            return "the bins of a stretch of time are not in ascending order, or its requests or "
                   "bytes do not add up";
        requests += s->counted.requests;
    }
    return requests == facts->references
               ? NULL
               : "the requests of all stretches of time do not add up to those of the profile";
}

/* ---- writing ---- */

static void put_bins(rd_json_writer *w, const rd_stretch *s) {
    rd_json_begin_array(w, "histogram", RD_JSON_INLINE);
    for (size_t i = 0; i < s->n_bins; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, s->bins[i].low);
        rd_json_put_u64(w, NULL, s->bins[i].high);
        rd_json_put_u64(w, NULL, s->bins[i].requests);
        rdi_json_put_u128(w, NULL, rdi_sum_wide(s->bins[i].bytes));
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

static void stretches_write(rd_json_writer *w, const void *data) {
    const rd_stretches *all = data;
    rd_json_begin_object(w, "stretches", RD_JSON_LINES);
    rd_json_put_u64(w, "every", all->every);
    rd_json_begin_array(w, "rows", RD_JSON_LINES);
    for (size_t i = 0; i < all->n; i++) {
        const rd_stretch *s = &all->rows[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "from", s->from);
        rdi_put_traffic(w, "counted", &s->counted);
        rdi_put_traffic(w, "cold", &s->cold);
        rdi_put_traffic(w, "deleted", &s->deleted);
        rdi_put_traffic(w, "expired", &s->expired);
        put_bins(w, s);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

const rdi_section rdi_section_stretches = {
    .key = "stretches",
    .minor = 2,
    .read = stretches_read,
    .mistake = stretches_mistake,
    .write = stretches_write,
    .free = stretches_free,
};
