/* absolute: measures distances with absolute precision, as Zhong, Shen and Ding proposed. Distances
 * below a cut-off c are exact, and longer ones are at most b blocks too small.
 *
 * A hash table gives the time of the previous reference to a block. The last references to all
 * blocks are kept in two groups: the newest ones, at most 2c, one by one, and the older ones in
 * time ranges of up to b + 1 blocks (src/order/ranges.h). A distance is the number of blocks in all
 * newer entries. It is exact in the first group, and at most b too small in the second group. When
 * the first group has more than 2c blocks, its oldest c blocks move to the second group.
 *
 * With c = 0 and a splay tree, the engine is the paper's Sampling analyzer. With B-trees for both
 * groups, it is the paper's ZDK analyzer; b = 2048 and c = 1024 give ZDK-2k.
 *
 * Time: O(log(c) + log(M / b)) per reference for M blocks. Memory: 21 to 43 bytes per block for the
 * table; the first group has up to 2c + 1 entries, and the second never more than 2 M / (b + 1) +
 * 1.
 *
 * Do not use it if an exact engine fits into memory: see scale.c.
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.2.
 */
#include "engine/core/plugin.h"
#include "order/block_map.h"
#include "order/ranges.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define AHEAD 16 /* number of references by which the prefetch of the table runs ahead */

typedef struct absolute_engine {
    uint64_t b, c; /* options: error bound and cut-off, in blocks */
    uint32_t kind; /* option: index into structures */
    rdi_run *run;
    rdi_block_map last; /* maps a block to the time of its last reference */
    rdi_ranges *precise, *rough;
    uint64_t border; /* last references from this time on are in `precise`, and older ones are in
                        `rough` */
    uint64_t now;
    uint64_t newest; /* the block of the previous reference */
} absolute_engine;

static const rdi_ranges_ops *const structures[] = {&rdi_ranges_splay, &rdi_ranges_btree};

static rd_status absolute_open(void *self, rdi_run *run) {
    absolute_engine *e = self;
    e->run = run;
    run->out.error_bound = (double)e->b;
    e->border = e->c ? 0 : UINT64_MAX;
    RD_TRY(rdi_block_map_init(&e->last, run->ctx));
    RD_TRY(rdi_ranges_new(run->ctx, structures[e->kind], 1, &e->precise));
    return rdi_ranges_new(run->ctx, structures[e->kind], e->b + 1, &e->rough);
}

/* Moves the oldest c blocks of the precise group to the rough group. */
static rd_status transfer(absolute_engine *e) {
    for (uint64_t i = 0; i < e->c; i++) {
        uint64_t time = e->precise->ops->remove_oldest(e->precise);
        e->border = time + 1;
        RD_TRY(e->rough->ops->append(e->rough, time));
    }
    return RD_OK;
}

static rd_status append(absolute_engine *e) {
    rdi_ranges *part = e->c ? e->precise : e->rough;
    RD_TRY(part->ops->append(part, e->now++));
    return e->precise->live > 2 * e->c ? transfer(e) : RD_OK;
}

static uint64_t remove_time(absolute_engine *e, uint64_t time) {
    if (time >= e->border)
        return e->precise->ops->remove(e->precise, time);
    uint64_t newer = e->rough->ops->remove(e->rough, time);
    return newer == RDI_NO_RANGE ? RDI_NO_RANGE : e->precise->live + newer;
}

static rd_status reference(absolute_engine *e, uint64_t block, uint64_t *distance) {
    if (block == e->newest && e->now) { /* an immediate repeat changes nothing */
        *distance = 0;
        return RD_OK;
    }
    uint64_t last = 0;
    RD_TRY(rdi_block_map_exchange(&e->last, block, e->now, &last));
    *distance = last == RDI_ABSENT ? RD_COLD : remove_time(e, last);
    e->newest = block;
    return append(e);
}

static rd_status absolute_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    absolute_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            RDI_PREFETCH(&e->last.slot[rdi_block_map_home(&e->last, blk[i + AHEAD])]);
        RD_TRY(reference(e, blk[i], &dist[i]));
    }
    return RD_OK;
}

static rd_status absolute_feed_known(void *self, const rd_known *refs, size_t n, uint64_t *dist) {
    absolute_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = refs->last[i];
        dist[i] = last == RD_COLD ? RD_COLD : last < e->now ? remove_time(e, last) : RDI_NO_RANGE;
        if (last != RD_COLD && dist[i] == RDI_NO_RANGE)
            return rdi_known_fail(e->run, last);
        RD_TRY(append(e));
    }
    return RD_OK;
}

static rd_nodes absolute_nodes(const void *self) {
    const absolute_engine *e = self;
    return (rd_nodes){.most = e->precise->most + e->rough->most};
}

static rd_status absolute_finish(void *self) {
    absolute_engine *e = self;
    snprintf(e->run->out.note, sizeof e->run->out.note,
             "the precise group had at most %" PRIu64
             " entries, and the rough group had at most %" PRIu64,
             e->precise->most, e->rough->most);
    return RD_OK;
}

static rd_status absolute_check(void *self, const char **why) {
    absolute_engine *e = self;
    if (!rdi_block_map_check(&e->last, why) || !e->precise->ops->check(e->precise, why) ||
        !e->rough->ops->check(e->rough, why))
        return RD_ESTATE;
    *why = "absolute: the two groups together do not have as many blocks as the table";
    if (e->precise->live + e->rough->live != e->last.n)
        return RD_ESTATE;
    *why = "absolute: the precise group is too large, or too small to answer up to the cut-off";
    bool enough = e->precise->live >= e->c || e->rough->live == 0;
    return enough && e->precise->live <= 2 * e->c ? RD_OK : RD_ESTATE;
}

static void absolute_close(void *self) {
    absolute_engine *e = self;
    rdi_block_map_fini(&e->last);
    rdi_ranges_free(e->precise);
    rdi_ranges_free(e->rough);
}

static const rd_opt absolute_opts[] = {
    {.name = "b",
     .type = RD_OPT_SIZE,
     .offset = offsetof(absolute_engine, b),
     .def = "2048",
     .min = 1,
     .max = 1 << 30,
     .help = "largest error: a distance is too small by at most this many blocks"},
    {.name = "c",
     .type = RD_OPT_SIZE,
     .offset = offsetof(absolute_engine, c),
     .def = "1024",
     .min = 0,
     .max = 1 << 30,
     .help = "distances below this many blocks are exact"},
    {.name = "tree",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(absolute_engine, kind),
     .def = "btree",
     .choices = "splay|btree",
     .help = "data structure of both groups"},
    {0},
};

static const char *const absolute_variants[] = {
    "b=2K,c=0,tree=splay", "b=16,c=0,tree=splay", "b=16,c=0,tree=btree",   "b=10,c=5,tree=splay",
    "b=3,c=20,tree=btree", "b=1,c=0,tree=btree",  "b=100,c=50,tree=btree", NULL};

static const rdi_alone_ops absolute_alone = {.feed = absolute_feed_known, .nodes = absolute_nodes};

const rdi_engine_ops rdi_engine_absolute = {
    .info =
        {
            .name = "absolute",
            .summary = "Zhong: distances below c are exact, larger ones are at most b too small",
            .role = RD_ROLE_STUDY,
            .card =
                "The engine keeps the newest blocks one by one and the older ones in time\n"
                "ranges of up to b + 1 blocks. The distance is the number of blocks in newer\n"
                "entries. Distances below c are exact; longer ones are at most b too small and\n"
                "never too large. First references are exact.\n"
                "  c=0,tree=splay           the paper's Sampling analyzer\n"
                "  b=2K,c=1K,tree=btree     the paper's ZDK-2k, the default\n"
                "\n"
                "Time: O(log(c) + log(M / b)) per reference for M blocks. Memory: 21 to 43 bytes\n"
                "per block for the table that knows when a block was last referenced; 2c + 1\n"
                "entries in the first group and at most 2 M / (b + 1) + 1 entries in the second.\n"
                "It is not faster than the exact default engine.\n"
                "\n"
                "Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance.\n"
                "ACM TOPLAS 31(6), 2009.",
            .caps = RD_CAP_DISTANCES,
            .error_kind = "absolute",
            .opts = absolute_opts,
            .variants = absolute_variants,
        },
    .state_size = sizeof(absolute_engine),
    .open = absolute_open,
    .feed = absolute_feed,
    .finish = absolute_finish,
    .alone = &absolute_alone,
    .check = absolute_check,
    .close = absolute_close,
};
