/* bk: measures exact distances with Bennett and Kruskal's bit vector and partial counts.
 *
 * The axis has one bit per time slot, which is set if the slot is the last reference to its block.
 * The distance of a reference is the number of set bits after the block's previous slot. A
 * hierarchy of counts, whose groups have `arity` members, speeds up the counting. When the axis is
 * full, the engine renumbers it, as Olken proposed: the M live slots become slots 0 to M - 1. The
 * axis then has at least twice as many slots as there are live blocks, so a renumbering, which
 * costs O(M), happens at most once in M references.
 *
 * Let N be the number of references and M the number of blocks (or the bound). Time: O(N k log M /
 * log k) for arity k, less if reuse is near in time. Memory: O(M). The table takes 21 to 43 bytes
 * per block. Each slot takes 1/8 byte for its bit, and 8, 0.5 or 0.03 bytes for the counts with
 * arity 2, 16 or 256.
 *
 * Do not use it for traces in which nearly every reuse is far away: arity 256 then adds hundreds of
 * counts per reference, and arity 2 touches a cache line on each of 20 levels.
 *
 * B. T. Bennett, V. J. Kruskal. LRU stack processing. IBM Journal of Research and Development 19,
 * 1975. F. Olken. Efficient methods for calculating the success function of fixed space replacement
 * policies. LBL-12370, 1981.
 */
#include "engine/core/plugin.h"
#include "order/last_access.h"
#include "order/rank_bits.h"

#include <inttypes.h>
#include <stddef.h>

#define FIRST_SLOTS 256
#define MOST_KNOWN  (UINT64_C(1) << 48) /* largest number of slots in bk_feed_known() */

typedef struct bk_engine {
    uint32_t arity; /* option: index into arity_shift */
    rdi_run *run;
    rdi_last_access last; /* the slot of each block's last reference */
    rdi_rank_bits bits;
    uint64_t now; /* the next free slot */
} bk_engine;

static const unsigned arity_shift[] = {1, 4, 8};

static rd_status bk_open(void *self, rdi_run *run) {
    bk_engine *e = self;
    e->run = run;
    RD_TRY(rdi_block_map_init(&e->last.time, run->ctx));
    return rdi_rank_bits_init(&e->bits, run->ctx, arity_shift[e->arity], FIRST_SLOTS, 0);
}

/* Renumbers the live slots as 0, 1, 2 ... and makes room for at least as many new slots. */
static rd_status renumber(bk_engine *e) {
    uint64_t live = e->last.live;
    rdi_last_access_sweep(&e->last);
    rdi_rank_bits_squeeze(&e->bits);
    size_t cursor = 0;
    for (rdi_block_slot *s; (s = rdi_block_map_next(&e->last.time, &cursor)) != NULL;)
        s->value = rdi_rank_bits_rank(&e->bits, s->value);
    e->last.oldest = 0;
    e->now = live;
    uint64_t slots = e->bits.slots;
    return rdi_rank_bits_refill(&e->bits, live > slots / 2 ? 4 * live : slots, live);
}

static void evict_oldest(bk_engine *e) {
    uint64_t slot = rdi_rank_bits_next(&e->bits, e->last.oldest);
    rdi_rank_bits_clear(&e->bits, slot);
    rdi_last_access_forget(&e->last, slot);
}

static rd_status bk_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    bk_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        if (e->now == e->bits.slots)
            RD_TRY(renumber(e));
        uint64_t last = 0;
        RD_TRY(rdi_last_access_touch(&e->last, blk[i], e->now, &last));
        if (last == RDI_ABSENT) {
            dist[i] = RD_COLD;
            rdi_rank_bits_set(&e->bits, e->now);
        } else {
            dist[i] = rdi_rank_bits_after(&e->bits, last, e->now);
            rdi_rank_bits_move(&e->bits, last, e->now);
        }
        e->now++;
        if (e->last.live > e->run->in->bound)
            evict_oldest(e);
    }
    return RD_OK;
}

static rd_status bk_take(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    bk_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = rdi_last_access_take(&e->last, blk[i]);
        dist[i] = RD_COLD;
        if (last == RDI_ABSENT)
            continue;
        dist[i] = rdi_rank_bits_after(&e->bits, last, e->now - 1);
        rdi_rank_bits_clear(&e->bits, last);
    }
    return RD_OK;
}

/* Uses positions in the trace as slots. They cannot be renumbered, because renumbering needs the
 * table. */
static rd_status bk_feed_known(void *self, const rd_known *refs, size_t n, uint64_t *dist) {
    bk_engine *e = self;
    uint64_t slots = e->run->in->references;
    if (slots > MOST_KNOWN)
        return rdi_fail(e->run->ctx, RD_ERANGE,
                        "engine bk: config.references is %" PRIu64
                        "; rd_engine_feed_known() supports at most 2^48",
                        slots);
    if (e->now == 0 && slots)
        RD_TRY(rdi_rank_bits_refill(&e->bits, slots, 0));
    if (n > e->bits.slots - e->now)
        return rdi_fail(e->run->ctx, RD_ERANGE,
                        "engine bk: rd_engine_feed_known() got more references than "
                        "config.references, %" PRIu64 "; set the number of all references",
                        slots);
    for (size_t i = 0; i < n; i++, e->now++) {
        uint64_t last = refs->last[i];
        if (last == RD_COLD) {
            dist[i] = RD_COLD;
            rdi_rank_bits_set(&e->bits, e->now);
        } else if (last >= e->now || !rdi_rank_bits_has(&e->bits, last)) {
            return rdi_known_fail(e->run, last);
        } else {
            dist[i] = rdi_rank_bits_after(&e->bits, last, e->now);
            rdi_rank_bits_move(&e->bits, last, e->now);
        }
    }
    return RD_OK;
}

/* Visits the LRU stack. Renumbers the slots first, so that the slot of a block is its place in the
 * stack. */
static rd_status bk_order(void *self, rdi_block_visit visit, void *user) {
    bk_engine *e = self;
    rd_ctx *ctx = e->run->ctx;
    RD_TRY(renumber(e));
    uint64_t *block = rdi_alloc(ctx, e->last.live, sizeof *block);
    if (!block)
        return RD_ENOMEM;
    size_t cursor = 0;
    for (rdi_block_slot *s; (s = rdi_block_map_next(&e->last.time, &cursor)) != NULL;)
        block[s->value] = s->block;
    rd_status status = e->last.live ? visit(user, block, e->last.live) : RD_OK;
    rdi_free(ctx, block);
    return status;
}

static rd_status bk_check(void *self, const char **why) {
    bk_engine *e = self;
    bool sound = rdi_last_access_check(&e->last, why) && rdi_rank_bits_check(&e->bits, why);
    return sound ? RD_OK : RD_ESTATE;
}

static void bk_close(void *self) {
    bk_engine *e = self;
    rdi_block_map_fini(&e->last.time);
    rdi_rank_bits_fini(&e->bits);
}

static const rd_opt bk_opts[] = {
    {.name = "arity",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(bk_engine, arity),
     .def = "16",
     .choices = "2|16|256",
     .help = "number of members of a group in the hierarchy of counts"},
    {0},
};

static const char *const bk_variants[] = {"arity=2", "arity=16", "arity=256", NULL};

static const rdi_alone_ops bk_alone = {.feed = bk_feed_known};

static const rdi_chunk_ops bk_chunk = {.order = bk_order, .take = bk_take};

const rdi_engine_ops rdi_engine_bk = {
    .info =
        {
            .name = "bk",
            .summary =
                "Bennett-Kruskal: keeps one bit per time slot, and counts the bits in k-ary groups",
            .role = RD_ROLE_STUDY,
            .card =
                "A bit is set for every time slot that is the last reference to a block; the\n"
                "distance is the number of set bits after the block's previous slot. Counts\n"
                "per group, per group of groups and so on speed up the counting. When the time\n"
                "axis is full, it is renumbered (Olken's compaction).\n"
                "\n"
                "Time: O(k log M / log k) per reference for M blocks and arity k, less for near\n"
                "reuse.\n"
                "Memory per block: 21 to 43 bytes for the table; for the axis 16 to 33 bytes with\n"
                "arity 2, 1.3 to 2.6 bytes with arity 16, and 0.3 to 0.7 bytes with arity 256.\n"
                "Do not use it if most reuse is far away: arity 256 then adds hundreds of counts\n"
                "per reference, and arity 2 visits about twenty cache lines.\n"
                "\n"
                "B. T. Bennett, V. J. Kruskal. LRU stack processing. IBM J. Res. Dev. 19, 1975.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = bk_opts,
            .variants = bk_variants,
        },
    .state_size = sizeof(bk_engine),
    .open = bk_open,
    .feed = bk_feed,
    .chunk = &bk_chunk,
    .alone = &bk_alone,
    .check = bk_check,
    .close = bk_close,
};
