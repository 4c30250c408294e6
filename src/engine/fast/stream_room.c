/* The stream engine between chunks: memory, growth, renumbering, eviction, and the switch-over to
 * 64-bit slots. */
#include "engine/fast/stream.h"

#include <string.h>
#include <time.h>

/* Slots per live block after a renumbering: it costs O(blocks) every 11 x blocks references. */
#define AXIS_FACTOR  12
#define AXIS_LEAST   (UINT64_C(1) << 16)
#define HOMES_LEAST  2048 /* buckets: room for more than one chunk of new blocks */
#define LOAD_PERCENT 60
#define BUCKET_BYTES 64
#define SUPER_SLOTS  (UINT64_C(1) << RDI_STREAM_SUPER)

_Static_assert(RDI_STREAM_DISP_MAX + RDI_STREAM_CHUNK / RDI_STREAM_WIDE_WAYS + 2 <= RDI_STREAM_TAIL,
               "a chunk of blocks with one home stays inside the tail");

/* Of this thread: upkeep is a share of the work, whoever else uses the processor. */
static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- arrays ---- */

/* Enlarges the array at *p, of *n elements, to `to` elements. */
static rd_status grow_array(rd_ctx *ctx, void **p, uint64_t *n, uint64_t to, size_t size) {
    if (to <= *n)
        return RD_OK;
    if (to > SIZE_MAX / 2 / size)
        return rdi_fail(ctx, RD_ENOMEM, "out of memory: the stream engine's tables are too large");
    void *grown = rdi_pages_grow(ctx, *p, (size_t)*n * size, (size_t)to * size);
    if (!grown)
        return RD_ENOMEM;
    *p = grown;
    *n = to;
    return RD_OK;
}

/* log2 of the slots that one element of each of the axis' arrays covers, and the element's size. */
static const struct {
    unsigned shift;
    size_t size;
} axis_array[RDI_STREAM_ARRAYS] = {
    [RDI_STREAM_BITS] = {6, sizeof(uint64_t)},
    [RDI_STREAM_LINES] = {RDI_STREAM_LINE, sizeof(uint16_t)},
    [RDI_STREAM_GROUPS] = {RDI_STREAM_GROUP, sizeof(uint16_t)},
    [RDI_STREAM_SUPERS] = {RDI_STREAM_SUPER, sizeof(uint32_t)},
    [RDI_STREAM_ABOVE] = {RDI_STREAM_SUPER, sizeof(uint64_t)},
};

static void axis_pointers(const rdi_stream_axis *a, void *p[RDI_STREAM_ARRAYS]) {
    p[RDI_STREAM_BITS] = a->bits;
    p[RDI_STREAM_LINES] = a->line;
    p[RDI_STREAM_GROUPS] = a->group;
    p[RDI_STREAM_SUPERS] = a->super;
    p[RDI_STREAM_ABOVE] = a->above;
}

/* Arrays that did grow when a later one failed are larger than `capacity` says, so each remembers
 * its own size. */
static rd_status axis_reserve(rdi_stream *e, uint64_t slots) {
    rdi_stream_axis *a = &e->axis;
    uint64_t capacity = (slots + SUPER_SLOTS - 1) & ~(SUPER_SLOTS - 1);
    if (capacity <= a->capacity)
        return RD_OK;
    void *p[RDI_STREAM_ARRAYS];
    axis_pointers(a, p);
    rd_status status = RD_OK;
    for (unsigned i = 0; i < RDI_STREAM_ARRAYS && status == RD_OK; i++)
        status = grow_array(e->run->ctx, &p[i], &a->room[i], capacity >> axis_array[i].shift,
                            axis_array[i].size);
    a->bits = p[RDI_STREAM_BITS];
    a->line = p[RDI_STREAM_LINES];
    a->group = p[RDI_STREAM_GROUPS];
    a->super = p[RDI_STREAM_SUPERS];
    a->above = p[RDI_STREAM_ABOVE];
    if (status == RD_OK)
        a->capacity = capacity;
    return status;
}

/* Room to count every distance that `blocks` blocks can have. */
static rd_status counts_reserve(rdi_stream *e, uint64_t blocks) {
    rdi_stream_counts *c = &e->counts;
    rd_ctx *ctx = e->run->ctx;
    uint64_t bins = blocks / RDI_STREAM_DENSE + 2;
    if (!e->counts_itself || bins <= c->bins)
        return RD_OK;
    bins = larger(bins + bins / 2, 64);
    void *count = c->count, *rest = c->rest;
    rd_status status =
        grow_array(ctx, &count, &c->counts, RDI_STREAM_DENSE + bins, sizeof *c->count);
    c->count = count;
    RD_TRY(status);
    status = grow_array(ctx, &rest, &c->bins, bins, sizeof *c->rest);
    c->rest = rest;
    return status;
}

/* ---- axis ---- */

void rdi_stream_axis_set(const rdi_stream_axis *a, uint64_t first, uint64_t n) {
    for (uint64_t s = first, end = first + n; s < end;) {
        uint64_t offset = s & 63, k = 64 - offset < end - s ? 64 - offset : end - s;
        uint64_t ones = k == 64 ? ~UINT64_C(0) : (UINT64_C(1) << k) - 1;
        uint16_t *line = &a->line[s >> RDI_STREAM_LINE], *group = &a->group[s >> RDI_STREAM_GROUP];
        a->bits[s >> 6] |= ones << offset;
        *line = (uint16_t)(*line + k);
        *group = (uint16_t)(*group + k);
        a->super[s >> RDI_STREAM_SUPER] += (uint32_t)k;
        s += k;
    }
}

void rdi_stream_axis_refresh(const rdi_stream_axis *a, uint64_t top) {
    uint64_t sum = 0;
    for (uint64_t i = (top >> RDI_STREAM_SUPER) + 1; i-- > 0;) {
        a->above[i] = sum;
        sum += a->super[i];
    }
}

/* After renumbering: slots 1 .. live in use, nothing else. */
static void axis_reset(rdi_stream_axis *a, uint64_t live) {
    uint64_t end = ((a->next >> RDI_STREAM_SUPER) + 1) << RDI_STREAM_SUPER;
    memset(a->bits, 0, (a->next / 64 + 1) * sizeof *a->bits);
    memset(a->line, 0, (end >> RDI_STREAM_LINE) * sizeof *a->line);
    memset(a->group, 0, (end >> RDI_STREAM_GROUP) * sizeof *a->group);
    memset(a->super, 0, (end >> RDI_STREAM_SUPER) * sizeof *a->super);
    rdi_stream_axis_set(a, 1, live);
    a->next = live + 1;
}

/* A short batch keeps its prefetches within what a core can have under way. But every batch sums up
 * the supers, and where there are many that has to pay for more references. */
static void axis_use(rdi_stream *e, uint64_t slots) {
    uint64_t supers = slots >> RDI_STREAM_SUPER;
    e->axis.len = slots;
    e->batch = supers <= 128 ? 16 : supers <= 512 ? 32 : RDI_STREAM_BATCH;
}

static uint64_t slots_free(const rdi_stream *e) {
    return e->axis.len - e->axis.next;
}

/* ---- table ---- */

static uint64_t buckets(const rdi_stream_table *t) {
    return t->homes + RDI_STREAM_TAIL;
}

static void set_homes(rdi_stream_table *t, const rdi_stream_kernel *kernel, uint64_t homes) {
    t->homes = homes;
    t->limit = homes * kernel->ways * LOAD_PERCENT / 100;
}

static rd_status table_init(rdi_stream_table *t, rd_ctx *ctx, const rdi_stream_kernel *kernel,
                            uint64_t homes) {
    t->bucket = rdi_pages_alloc(ctx, (size_t)(homes + RDI_STREAM_TAIL) * BUCKET_BYTES);
    if (!t->bucket)
        return RD_ENOMEM;
    set_homes(t, kernel, homes);
    return RD_OK;
}

static void table_fini(rdi_stream_table *t, rd_ctx *ctx) {
    rdi_pages_free(ctx, t->bucket, (size_t)buckets(t) * BUCKET_BYTES);
}

/* Replaces the table by an empty one with the given hash and kernel, and moves all entries. */
static rd_status table_replace(rdi_stream *e, rdi_stream_table fresh,
                               const rdi_stream_kernel *kernel, uint64_t homes) {
    uint64_t blk[RDI_STREAM_WAYS], slot[RDI_STREAM_WAYS];
    RD_TRY(table_init(&fresh, e->run->ctx, kernel, homes));
    fresh.count = e->table.count;
    for (uint64_t i = 0; i < buckets(&e->table); i++) {
        unsigned n = e->kernel->read(&e->table, i, blk, slot);
        for (unsigned k = 0; k < n; k++)
            kernel->insert(&fresh, blk[k], slot[k]);
    }
    table_fini(&e->table, e->run->ctx);
    e->table = fresh;
    e->kernel = kernel;
    return RD_OK;
}

static rd_status switch_to_wide(rdi_stream *e) {
    const rdi_stream_table *t = &e->table;
    uint64_t homes = t->count * 100 / (LOAD_PERCENT * rdi_stream_wide.ways) + t->count / 4;
    rdi_stream_table fresh = {.seed = t->seed, .factor = t->factor};
    RD_TRY(table_replace(e, fresh, &rdi_stream_wide, larger(homes, HOMES_LEAST)));
    e->wide = true;
    return RD_OK;
}

/* Another hash, the next of a fixed sequence: for ids that do not spread under this one. */
static rd_status table_reseed(rdi_stream *e) {
    rdi_rng rng = {e->table.seed};
    rdi_stream_table fresh = {.seed = rdi_rng_next(&rng), .factor = rdi_rng_next(&rng) | 1};
    RD_TRY(table_replace(e, fresh, e->kernel, e->table.homes));
    e->reseedings++;
    return RD_OK;
}

/* By half, in place. */
static rd_status table_grow(rdi_stream *e) {
    rdi_stream_table *t = &e->table;
    rd_ctx *ctx = e->run->ctx;
    uint64_t from = t->homes, to = from + (from + 1) / 2, n = buckets(t);
    /* An entry in bucket i has its home at i - disp or above, and its new home at 3/2 of that: no
     * lower than i for i of 3 disp and more. What is below goes through a stash. */
    uint64_t low = 3 * t->disp + 4 < from ? 3 * t->disp + 4 : from;
    void *stash = rdi_pages_alloc(ctx, (size_t)low * BUCKET_BYTES);
    if (!stash)
        return RD_ENOMEM;
    rd_status status = grow_array(ctx, &t->bucket, &n, to + RDI_STREAM_TAIL, BUCKET_BYTES);
    if (status == RD_OK) {
        set_homes(t, e->kernel, to);
        e->kernel->respread(t, from, stash, low);
        e->growths++;
    }
    rdi_pages_free(ctx, stash, (size_t)low * BUCKET_BYTES);
    return status;
}

static bool is_full(const rdi_stream_table *t) {
    return t->count + RDI_STREAM_CHUNK > t->limit;
}

static bool is_skewed(const rdi_stream_table *t) {
    return t->disp > RDI_STREAM_DISP_MAX;
}

/* Entries far from home at this load mean ids that collide: another hash spreads them, and where
 * even that fails a larger table does. */
rd_status rdi_stream_table_room(rdi_stream *e) {
    bool reseeded = false;
    while (is_full(&e->table) || is_skewed(&e->table)) {
        bool grow = is_full(&e->table) || reseeded;
        RD_TRY(grow ? table_grow(e) : table_reseed(e));
        reseeded = !grow;
    }
    return RD_OK;
}

/* ---- all together ---- */

/* A longer axis while most slots are live, else renumbering and then the length that pays. */
static rd_status axis_room(rdi_stream *e, uint64_t drop) {
    rdi_stream_axis *a = &e->axis;
    if (drop || e->table.count < a->next / 2 || a->next < AXIS_LEAST / 2) {
        e->kernel->renumber(e, drop);
        axis_reset(a, e->table.count);
        e->renumberings++;
    }
    uint64_t live = e->table.count;
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
    RD_TRY(axis_reserve(e, want));
    axis_use(e, want);
    return RD_OK;
}

static rd_status make_room(rdi_stream *e) {
    if (e->table.count > e->keep) /* the front's own blocks always stay */
        RD_TRY(axis_room(e, e->table.count - larger(e->bound, RDI_STREAM_FRONT)));
    else if (slots_free(e) < RDI_STREAM_SLOTS_NEEDED)
        RD_TRY(axis_room(e, 0));
    RD_TRY(rdi_stream_table_room(e));
    return counts_reserve(e, e->table.limit);
}

bool rdi_stream_has_room(const rdi_stream *e) {
    return slots_free(e) >= RDI_STREAM_SLOTS_NEEDED && !is_full(&e->table) &&
           !is_skewed(&e->table) && e->table.count <= e->keep;
}

rd_status rdi_stream_make_room(rdi_stream *e) {
    if (RDI_LIKELY(rdi_stream_has_room(e)))
        return RD_OK;
    uint64_t start = cpu_ns();
    bool front = e->front_on; /* entries move, so it goes and comes back */
    if (front)
        e->kernel->front_flush(e);
    RD_TRY(make_room(e));
    if (front)
        e->kernel->front_load(e);
    e->upkeep_ns += cpu_ns() - start;
    return RD_OK;
}

rd_status rdi_stream_room_init(rdi_stream *e) {
    uint64_t bound = e->run->in->bound;
    e->bound = bound;
    e->keep = bound > UINT64_MAX / 4 ? UINT64_MAX : 2 * bound + RDI_STREAM_CHUNK;
    uint64_t most = e->compact / AXIS_FACTOR < e->keep ? e->compact / AXIS_FACTOR : e->keep;
    uint64_t expected = e->run->in->expected_blocks < most ? e->run->in->expected_blocks : most;
    uint64_t homes = expected * 100 / (LOAD_PERCENT * e->kernel->ways);
    uint64_t len = larger(AXIS_LEAST, AXIS_FACTOR * expected);
    len = len < e->compact ? len : e->compact;
    e->table.seed = UINT64_C(0xa0761d6478bd642f);
    e->table.factor = UINT64_C(0xe7037ed1a0b428db);
    RD_TRY(table_init(&e->table, e->run->ctx, e->kernel, larger(homes, HOMES_LEAST)));
    RD_TRY(axis_reserve(e, len));
    axis_use(e, len);
    e->axis.next = 1;
    return counts_reserve(e, e->table.limit);
}

rd_status rdi_stream_time_room(rdi_stream *e) {
    if (RDI_LIKELY(e->wide || e->compact - e->axis.next >= RDI_STREAM_CHUNK))
        return RD_OK;
    return switch_to_wide(e);
}

rd_status rdi_stream_first_room(rdi_stream *e) {
    e->counts.first = rdi_alloc(e->run->ctx, RDI_STREAM_CHUNK, sizeof *e->counts.first);
    return e->counts.first ? RD_OK : RD_ENOMEM;
}

rd_status rdi_stream_forget(rdi_stream *e) {
    rdi_stream_table *t = &e->table;
    bool oversized = t->homes > HOMES_LEAST && t->count < t->limit / 16;
    if (oversized) {
        table_fini(t, e->run->ctx);
        RD_TRY(table_init(t, e->run->ctx, e->kernel, HOMES_LEAST));
    } else {
        memset(t->bucket, 0, (size_t)buckets(t) * BUCKET_BYTES);
    }
    t->count = t->disp = 0;
    axis_reset(&e->axis, 0);
    return RD_OK;
}

void rdi_stream_room_fini(rdi_stream *e) {
    rd_ctx *ctx = e->run->ctx;
    void *p[RDI_STREAM_ARRAYS];
    axis_pointers(&e->axis, p);
    for (unsigned i = 0; i < RDI_STREAM_ARRAYS; i++)
        rdi_pages_free(ctx, p[i], (size_t)e->axis.room[i] * axis_array[i].size);
    rdi_pages_free(ctx, e->counts.count, (size_t)e->counts.counts * sizeof *e->counts.count);
    rdi_pages_free(ctx, e->counts.rest, (size_t)e->counts.bins * sizeof *e->counts.rest);
    rdi_free(ctx, e->counts.first);
    table_fini(&e->table, ctx);
}
