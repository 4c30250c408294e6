/* Does the work of the stream engine between steps: memory, growth, renumbering, eviction, and the
 * change to 64-bit slots. */
#include "engine/fast/stream.h"

#include <string.h>
#include <time.h>

/* Number of slots per live block that axis_room() provides, as far as 32-bit slots allow. So
 * without a bound and with M blocks, a renumbering, which costs O(M), happens about once in 11 M
 * references. */
#define AXIS_FACTOR 12
#define AXIS_LEAST  (UINT64_C(1) << 16)

/* Returns the processor time of this thread in nanoseconds. The note reports the time spent on
 * upkeep, and processor time does not depend on other load. */
static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Makes room for the counts of every distance that is possible with `blocks` blocks. */
static rd_status counts_reserve(rdi_stream *e, uint64_t blocks) {
    rdi_stream_counts *c = &e->counts;
    rd_ctx *ctx = e->run->ctx;
    uint64_t bins = blocks / RDI_STREAM_DENSE + 2;
    if (!e->counts_itself || bins <= c->bins)
        return RD_OK;
    bins = larger(bins + bins / 2, 64);
    void *count = c->count, *rest = c->rest;
    rd_status status =
        rdi_pages_grow_array(ctx, &count, &c->counts, RDI_STREAM_DENSE + bins, sizeof *c->count);
    c->count = count;
    RD_TRY(status);
    status = rdi_pages_grow_array(ctx, &rest, &c->bins, bins, sizeof *c->rest);
    c->rest = rest;
    return status;
}

/* ---- axis ---- */

/* Sets the length of the axis, and chooses the length of a tile. With short tiles, no more
 * prefetches are in flight than a core supports. But every tile sums the counts of all
 * supers (groups of 2^19 slots). If there are many supers, more references must share that cost. */
static void axis_use(rdi_stream *e, uint64_t slots) {
    uint64_t supers = slots >> RDI_SLOT_SUPER;
    e->axis.len = slots;
    e->tile = supers <= 128 ? 16 : supers <= 512 ? 32 : RDI_STREAM_TILE;
}

static uint64_t slots_free(const rdi_stream *e) {
    return e->axis.len - e->axis.next;
}

/* ---- table ---- */

static rd_status switch_to_wide(rdi_stream *e) {
    RD_TRY(rdi_slot_table_widen(&e->table, e->run->ctx, &rdi_stream_wide.table));
    e->kernel = &rdi_stream_wide;
    e->wide = true;
    return RD_OK;
}

rd_status rdi_stream_table_room(rdi_stream *e) {
    return rdi_slot_table_room(&e->table, e->run->ctx);
}

/* ---- table and axis together ---- */

/* Makes room on the axis: renumbers the slots, and then lengthens the axis if it has fewer than
 * AXIS_FACTOR slots per live block. Does not renumber if at least AXIS_LEAST / 2 slots are used and
 * at least half of them are live. Switches to 64-bit slots if 32 bits are not enough. */
static rd_status axis_room(rdi_stream *e) {
    rdi_slot_axis *a = &e->axis;
    const uint64_t live = rdi_slot_axis_live(a);
    if (live < a->next / 2 || a->next < AXIS_LEAST / 2) {
        e->kernel->renumber(e);
        rdi_slot_axis_reset(a, live);
        e->renumberings++;
    }
    uint64_t want = larger(AXIS_LEAST, AXIS_FACTOR * live + RDI_STREAM_SLOTS_NEEDED);
    if (!e->wide && want > e->compact) {
        if (e->compact >= 2 * live + 2 * RDI_STREAM_SLOTS_NEEDED &&
            e->compact > a->next + RDI_STREAM_SLOTS_NEEDED)
            want = e->compact;
        else
            RD_TRY(switch_to_wide(e));
    }
    if (want <= a->len)
        return RD_OK;
    RD_TRY(rdi_slot_axis_reserve(a, e->run->ctx, want));
    axis_use(e, want);
    return RD_OK;
}

/* Evicts the oldest blocks until at most `keep` are left, and removes the entries of taken blocks.
 * The slots of the remaining blocks keep their order, so their ranks need not be counted. */
static void evict(rdi_stream *e, uint64_t keep) {
    bool many = rdi_slot_axis_live(&e->axis) > keep;
    uint64_t last = many ? rdi_slot_axis_newest(&e->axis, keep + 1) : 0;
    uint64_t down = many ? rdi_slot_axis_drop(&e->axis, last) : 0;
    e->kernel->drop(e, last, down);
    e->evictions++;
}

void rdi_stream_set_cutoff(rdi_stream *e) {
    if (rdi_slot_axis_live(&e->axis) > e->bound)
        e->cutoff = rdi_slot_axis_newest(&e->axis, e->bound + 1);
}

static rd_status make_room(rdi_stream *e) {
    e->cutoff = 0;
    if (e->table.count > e->keep) /* the blocks of the front are never evicted */
        evict(e, larger(e->bound, RDI_STREAM_FRONT));
    if (slots_free(e) < RDI_STREAM_SLOTS_NEEDED)
        RD_TRY(axis_room(e));
    RD_TRY(rdi_stream_table_room(e));
    return counts_reserve(e, e->table.limit);
}

bool rdi_stream_has_room(const rdi_stream *e) {
    return slots_free(e) >= RDI_STREAM_SLOTS_NEEDED && rdi_slot_table_has_room(&e->table) &&
           e->table.count <= e->keep;
}

rd_status rdi_stream_make_room(rdi_stream *e) {
    if (RDI_LIKELY(rdi_stream_has_room(e)))
        return RD_OK;
    uint64_t start = cpu_ns();
    bool front = e->front_on; /* entries may move in the table, so the front is turned off and on
                                 again */
    if (front)
        e->kernel->front_flush(e);
    RD_TRY(make_room(e));
    if (front)
        e->kernel->front_load(e);
    rdi_stream_set_cutoff(e);
    e->upkeep_ns += cpu_ns() - start;
    return RD_OK;
}

rd_status rdi_stream_room_init(rdi_stream *e) {
    uint64_t bound = e->run->in->bound;
    e->bound = bound;
    e->keep = bound > UINT64_MAX / 4 ? UINT64_MAX : 2 * bound + RDI_STREAM_STEP;
    uint64_t most = e->compact / AXIS_FACTOR < e->keep ? e->compact / AXIS_FACTOR : e->keep;
    uint64_t expected = e->run->in->expected_blocks < most ? e->run->in->expected_blocks : most;
    uint64_t len = larger(AXIS_LEAST, AXIS_FACTOR * expected);
    len = len < e->compact ? len : e->compact;
    RD_TRY(rdi_slot_table_init(&e->table, e->run->ctx, &e->kernel->table, expected));
    RD_TRY(rdi_slot_axis_reserve(&e->axis, e->run->ctx, len));
    axis_use(e, len);
    e->axis.next = 1;
    return counts_reserve(e, e->table.limit);
}

rd_status rdi_stream_time_room(rdi_stream *e) {
    if (RDI_LIKELY(e->wide || e->compact - e->axis.next >= RDI_STREAM_STEP))
        return RD_OK;
    return switch_to_wide(e);
}

rd_status rdi_stream_first_room(rdi_stream *e) {
    e->counts.first = rdi_alloc(e->run->ctx, RDI_STREAM_STEP, sizeof *e->counts.first);
    return e->counts.first ? RD_OK : RD_ENOMEM;
}

rd_status rdi_stream_mark(rdi_stream *e) {
    rd_ctx *ctx = e->run->ctx;
    uint64_t words = e->table.homes * RDI_SLOT_MARKS / 64 + 1;
    void *marks = e->marks;
    rd_status status = rdi_pages_grow_array(ctx, &marks, &e->marks_room, words, sizeof *e->marks);
    e->marks = marks;
    RD_TRY(status);
    memset(e->marks, 0, (size_t)words * sizeof *e->marks);
    e->kernel->mark(e);
    e->marked = true;
    return RD_OK;
}

rd_status rdi_stream_forget(rdi_stream *e) {
    RD_TRY(rdi_slot_table_clear(&e->table, e->run->ctx));
    rdi_slot_axis_reset(&e->axis, 0);
    e->cutoff = 0;
    return RD_OK;
}

void rdi_stream_room_fini(rdi_stream *e) {
    rd_ctx *ctx = e->run->ctx;
    rdi_slot_axis_fini(&e->axis, ctx);
    rdi_pages_free(ctx, e->counts.count, (size_t)e->counts.counts * sizeof *e->counts.count);
    rdi_pages_free(ctx, e->counts.rest, (size_t)e->counts.bins * sizeof *e->counts.rest);
    rdi_pages_free(ctx, e->marks, (size_t)e->marks_room * sizeof *e->marks);
    rdi_free(ctx, e->counts.first);
    rdi_slot_table_fini(&e->table, ctx);
}
