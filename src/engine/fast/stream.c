/* stream: measures exact distances immediately, on one core, as fast as memory allows. `auto` uses
 * it on one thread.
 *
 * It uses Bennett and Kruskal's bit vector over time slots and, as Olken proposed, renumbers the
 * slots when the vector is full. The data structures fit today's caches:
 *   table   maps a block to the slot of its last reference; a bucket is one cache line, and look-ups
 *           run in tiles whose cache misses overlap
 *   axis    has one bit per slot, set if the slot is a block's last reference, and counts per 512,
 *           16384 and 524288 slots, so that the number of set bits above a slot is summed from
 *           three cache lines
 *   front   keeps the 64 most recent blocks, in order, apart from the axis, while enough reuse is
 *           near
 *
 * Let N be the number of references and M the number of blocks (or the bound). Time: O(N); in
 * addition, each tile of 16 to 64 references sums one count per 44,000 blocks. A reference usually
 * has at most one cache miss in the table and two in the axis. Memory: O(M), independent of N; the
 * table takes 21 to 32 bytes per block, and the axis takes 2 bytes. Slots have 32 bits until there
 * are 2^32 of them, and 64 bits from then on. If too many ids collide in the table, the engine
 * chooses another hash.
 *
 * This engine uses only one thread. To understand the method, read the engine `stack` first.
 *
 * B. T. Bennett, V. J. Kruskal. LRU stack processing. IBM Journal of Research and Development 19,
 * 1975. F. Olken. Efficient methods for calculating the success function of fixed space replacement
 * policies. LBL-12370, 1981.
 */
#include "engine/fast/stream.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COMPACT_LEAST 4608 /* room for two steps, because RDI_STREAM_SLOTS_NEEDED is 2304 */

const rd_opt rdi_stream_opts[] = {
    RDI_ISA_OPTION(rdi_stream),
    {.name = "front",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(rdi_stream, front_option),
     .def = "auto",
     .choices = "auto|on|off",
     .help = "keep the most recent blocks in registers; auto: only while much reuse is near"},
    {.name = "compact",
     .type = RD_OPT_SIZE,
     .offset = offsetof(rdi_stream, compact),
     .def = "4294967295",
     .min = COMPACT_LEAST,
     .max = UINT32_MAX,
     .help = "largest time slot kept in 32 bits; lower values test the change to 64 bits"},
    {0},
};

/* ---- front ---- */

static bool is_among(uint64_t block, const uint64_t *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (list[i] == block)
            return true;
    return false;
}

void rdi_stream_remember(rdi_stream *e, const uint64_t *blk, size_t n) {
    uint64_t recent[RDI_STREAM_FRONT];
    unsigned c = 0;
    unsigned most = e->table.count < RDI_STREAM_FRONT ? (unsigned)e->table.count : RDI_STREAM_FRONT;
    for (size_t i = n; i-- > 0 && c < most;)
        if (!is_among(blk[i], recent, c))
            recent[c++] = blk[i];
    for (unsigned i = 0; i < e->front_n && c < most; i++)
        if (!is_among(e->front.key[i], recent, c))
            recent[c++] = e->front.key[i];
    memcpy(e->front.key, recent, c * sizeof *recent);
    e->front_n = c;
}

/* Fills the front with the blocks of `blk`, newest first. */
static void fill_lanes(rdi_stream_front *f, const uint64_t blk[RDI_STREAM_FRONT]) {
    for (unsigned i = 0; i < RDI_STREAM_FRONT; i++) {
        f->key[i] = blk[i];
        f->tag[i] = rdi_stream_tag(blk[i]);
        f->time[i] = (uint16_t)(RDI_STREAM_FRONT - 1 - i);
    }
    f->now = RDI_STREAM_FRONT;
}

unsigned rdi_stream_front_place(const rdi_stream_front *f, unsigned lane) {
    unsigned later = 0;
    for (unsigned i = 0; i < RDI_STREAM_FRONT; i++)
        later += f->time[i] > f->time[lane];
    return later;
}

static void sort_front(const rdi_stream_front *f, uint64_t blk[RDI_STREAM_FRONT]) {
    for (unsigned i = 0; i < RDI_STREAM_FRONT; i++)
        blk[rdi_stream_front_place(f, i)] = f->key[i];
}

void rdi_stream_front_wind_back(rdi_stream_front *f) {
    if (RDI_LIKELY(f->now <= INT16_MAX - RDI_STREAM_STEP))
        return;
    uint16_t time[RDI_STREAM_FRONT];
    for (unsigned i = 0; i < RDI_STREAM_FRONT; i++)
        time[i] = (uint16_t)(RDI_STREAM_FRONT - 1 - rdi_stream_front_place(f, i));
    memcpy(f->time, time, sizeof time);
    f->now = RDI_STREAM_FRONT;
}

static void switch_on(rdi_stream *e) {
    uint64_t recent[RDI_STREAM_FRONT];
    if (e->front_n < RDI_STREAM_FRONT)
        return; /* too few of the most recent blocks are known */
    memcpy(recent, e->front.key, sizeof recent);
    fill_lanes(&e->front, recent);
    e->kernel->front_load(e);
}

static void switch_off(rdi_stream *e) {
    uint64_t recent[RDI_STREAM_FRONT];
    e->kernel->front_flush(e);
    sort_front(&e->front, recent);
    memcpy(e->front.key, recent, sizeof recent);
}

/* Turns the front on or off, or leaves it as it is, and begins a new window. Searching the front
 * pays off only if much reuse is very recent. */
static void choose_front(rdi_stream *e) {
    uint64_t percent = e->window_near * 100 / e->window_refs;
    bool want =
        percent >= (e->front_on ? RDI_STREAM_FRONT_OFF_PERCENT : RDI_STREAM_FRONT_ON_PERCENT);
    if (e->front_option != RDI_STREAM_FRONT_AUTO)
        want = e->front_option == RDI_STREAM_FRONT_ON;
    e->window = RDI_STREAM_WINDOW;
    e->window_refs = e->window_near = 0;
    if (want && !e->front_on)
        switch_on(e);
    else if (!want && e->front_on)
        switch_off(e);
}

/* ---- the engine ---- */

static rd_status stream_open(void *self, rdi_run *run) {
    static const rdi_stream_kernel *const kernels[] = {
        [RDI_ISA_PLAIN] = &rdi_stream_plain,
        [RDI_ISA_AVX2] = &rdi_stream_avx2,
        [RDI_ISA_AVX512] = &rdi_stream_avx512,
    };
    rdi_stream *e = self;
    RD_TRY(rdi_isa_choose(run->ctx, "engine stream", e->isa, &e->chosen));
    e->run = run;
    e->kernel = kernels[e->chosen];
    e->window = RDI_STREAM_STEP; /* the first decision about the front comes early */
    e->counts_itself = rdi_hist_unites_loglinear(run->out.hist);
    run->out.counter = e->counts_itself ? RDI_ENGINE_COUNTS : RDI_CORE_COUNTS;
    snprintf(run->out.note, sizeof run->out.note, "%s instructions", rdi_isa_name(e->chosen));
    return rdi_stream_room_init(e);
}

/* Passes the blocks with infinite distances of the last step to run->first, if they were
 * collected. */
static rd_status report_first(rdi_stream *e) {
    size_t n = e->counts.n_first;
    e->counts.n_first = 0;
    return n ? e->run->first(e->run->first_user, e->counts.first, n) : RD_OK;
}

static rd_status stream_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rdi_stream *e = self;
    if (e->run->first && !e->counts.first)
        RD_TRY(rdi_stream_first_room(e));
    e->marked = false;
    e->absent = 0;
    for (size_t i = 0; i < n;) {
        RD_TRY(rdi_stream_make_room(e));
        size_t m = n - i < RDI_STREAM_STEP ? n - i : RDI_STREAM_STEP;
        e->kernel->step(e, blk + i, m, dist ? dist + i : NULL);
        RD_TRY(report_first(e));
        i += m;
        e->window_refs += m;
        bool due =
            e->window_refs >= e->window || (e->front_option == RDI_STREAM_FRONT_ON && !e->front_on);
        if (!e->front_on && e->front_option != RDI_STREAM_FRONT_OFF && (due || i == n))
            rdi_stream_remember(e, blk, i);
        if (due) {
            choose_front(e);
            rdi_stream_set_cutoff(e);
        }
    }
    return RD_OK;
}

/* Implements rdi_chunk_ops.take. Turns the front off first, because it may have blocks that are
 * taken, and forgets the most recent blocks for the same reason. When more blocks have been absent
 * than the table has home buckets, it pays to look into the marks before the table. */
static rd_status stream_take(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rdi_stream *e = self;
    if (e->front_on) {
        RD_TRY(rdi_stream_make_room(e));
        e->kernel->front_flush(e);
    }
    e->front_n = 0;
    if (!e->marked && e->absent > e->table.homes)
        RD_TRY(rdi_stream_mark(e));
    e->kernel->take(e, blk, n, dist);
    for (size_t i = 0; i < n; i++)
        e->absent += dist[i] == RD_COLD;
    return RD_OK;
}

/* Adds the counts to the histogram of the run. */
static rd_status hand_over_counts(rdi_stream *e) {
    const rdi_stream_counts *c = &e->counts;
    rdi_hist *hist = e->run->out.hist;
    for (uint64_t d = 0; d < RDI_STREAM_DENSE; d++)
        RD_TRY(rdi_hist_add_many(hist, d, c->count[d]));
    for (uint64_t bin = 1; bin < c->bins; bin++) {
        uint64_t count = c->count[RDI_STREAM_DENSE + bin], low = bin * RDI_STREAM_DENSE;
        rdi_u128 sum = (rdi_u128)low * count + c->rest[bin];
        if (count)
            RD_TRY(rdi_hist_add_bin(hist, low, count, rdi_sum_narrow(sum)));
    }
    return rdi_hist_add_many(hist, RD_COLD, c->infinite);
}

static rd_status stream_finish(void *self) {
    rdi_stream *e = self;
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note,
                 "%s instructions, front %s, %s-bit slots; upkeep %.3f s (%" PRIu64
                 " growth%s, %" PRIu64 " renumbering%s, %" PRIu64 " new hash%s)",
                 rdi_isa_name(e->chosen), e->front_on ? "on" : "off", e->wide ? "64" : "32",
                 (double)e->upkeep_ns * 1e-9, e->table.growths, e->table.growths == 1 ? "" : "s",
                 e->renumberings, e->renumberings == 1 ? "" : "s", e->table.reseedings,
                 e->table.reseedings == 1 ? "" : "es");
    return e->counts_itself ? hand_over_counts(e) : RD_OK;
}

static rd_status stream_restart(void *self) {
    rdi_stream *e = self;
    e->front_on = false;
    e->front_n = 0;
    e->window = RDI_STREAM_STEP;
    e->window_refs = e->window_near = 0;
    return rdi_stream_forget(e);
}

static void stream_close(void *self) {
    rdi_stream *e = self;
    if (e->run)
        rdi_stream_room_fini(e);
}

static const char *const stream_variants[] = {
    "front=on", "front=off",         "isa=plain",  "isa=plain,front=on",
    "isa=avx2", "isa=avx2,front=on", "compact=6K", "compact=6K,front=on",
    NULL,
};

static const rdi_chunk_ops stream_chunk = {
    .order = rdi_stream_order,
    .take = stream_take,
    .restart = stream_restart,
};

const rdi_engine_ops rdi_engine_stream = {
    .info =
        {
            .name = "stream",
            .summary =
                "fastest on one thread: overlaps table look-ups, keeps recent blocks in registers",
            .role = RD_ROLE_STRATEGY,
            .card =
                "A table gives the time slot of a block's last reference; the distance is the\n"
                "number of live slots newer than this slot, summed up from three cache lines of\n"
                "counts. Look-ups run in tiles, so that their cache misses overlap. If much reuse\n"
                "is near, the 64 most recent blocks are kept in registers. A full time axis is\n"
                "renumbered. Vector instructions are chosen at run time.\n"
                "\n"
                "Time: O(1) per reference. Memory: 23 to 34 bytes per block, independent of the\n"
                "length of the trace; with a bound, for about twice as many blocks as the bound.\n"
                "If too many ids collide, stream chooses another hash. It uses one thread. To\n"
                "learn the method, read the source of stack or bk.\n"
                "\n"
                "B. T. Bennett, V. J. Kruskal. LRU stack processing. IBM J. Res. Dev. 19, 1975.\n"
                "F. Olken. Efficient methods for calculating the success function of fixed\n"
                "space replacement policies. LBL-12370, 1981.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = rdi_stream_opts,
            .variants = stream_variants,
        },
    .state_size = sizeof(rdi_stream),
    .open = stream_open,
    .feed = stream_feed,
    .finish = stream_finish,
    .chunk = &stream_chunk,
    .check = rdi_stream_check,
    .close = stream_close,
};
