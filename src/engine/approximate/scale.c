/* scale: measures distances with a guaranteed relative error, using Zhong, Shen and Ding's scale
 * tree.
 *
 * A hash table gives the time of the previous reference to a block. The scale tree
 * (src/order/scale_tree.h) estimates how many blocks were referenced since that time. With the
 * option error=e, the estimate for a true distance d is from (1 - e) d to d. An immediate repeat
 * has distance 0 and changes nothing.
 *
 * Time: O(log M) per reference for M blocks. Memory: 21 to 43 bytes per block for the table, and at
 * most 4 log(M) / log(1 / (1 - e)) + 4 nodes of 20 bytes for the tree, which stays in the
 * processor's cache. The speed of the tree hardly depends on M; the speed of the table does.
 *
 * Do not use it if an exact engine fits into memory: the table takes most of the memory and of the
 * time in either case, and `auto` is exact. The engine shows that a small tree does not make the
 * analysis faster.
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.1.
 */
#include "engine/core/plugin.h"
#include "order/block_map.h"
#include "order/scale_tree.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define AHEAD          16 /* number of references by which the prefetch of the table runs ahead */
#define MOST_PREFILLED (UINT64_C(1) << 56)

typedef struct scale_engine {
    double error; /* option: largest relative error */
    rdi_run *run;
    rdi_block_map last; /* maps a block to the time of its last reference */
    rdi_scale_tree tree;
    uint64_t newest; /* the block of the previous reference */
} scale_engine;

static rd_status scale_open(void *self, rdi_run *run) {
    scale_engine *e = self;
    e->run = run;
    run->out.error_bound = e->error;
    RD_TRY(rdi_block_map_init(&e->last, run->ctx));
    return rdi_scale_tree_init(&e->tree, run->ctx, e->error);
}

static rd_status reference(scale_engine *e, uint64_t block, uint64_t *distance) {
    if (block == e->newest && e->tree.live) {
        *distance = 0;
        return RD_OK;
    }
    uint64_t last = 0;
    RD_TRY(rdi_block_map_exchange(&e->last, block, e->tree.now, &last));
    *distance = last == RDI_ABSENT ? RD_COLD : rdi_scale_tree_remove(&e->tree, last);
    e->newest = block;
    return rdi_scale_tree_append(&e->tree);
}

static rd_status scale_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    scale_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            RDI_PREFETCH(&e->last.slot[rdi_block_map_home(&e->last, blk[i + AHEAD])]);
        RD_TRY(reference(e, blk[i], &dist[i]));
    }
    return RD_OK;
}

static rd_status scale_feed_known(void *self, const rd_known *refs, size_t n, uint64_t *dist) {
    scale_engine *e = self;
    rdi_scale_tree *t = &e->tree;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = refs->last[i];
        if (last != RD_COLD && last >= t->now)
            return rdi_known_fail(e->run, last);
        dist[i] = last == RD_COLD ? RD_COLD : rdi_scale_tree_remove(t, last);
        RD_TRY(rdi_scale_tree_append(t));
    }
    return RD_OK;
}

static rd_status scale_prefill(void *self, uint64_t blocks) {
    scale_engine *e = self;
    if (blocks > MOST_PREFILLED)
        return rdi_fail(e->run->ctx, RD_ERANGE,
                        "engine scale: cannot prefill more than 2^56 blocks");
    return rdi_scale_tree_prefill(&e->tree, blocks);
}

static rd_nodes scale_nodes(const void *self) {
    const rdi_scale_tree *t = &((const scale_engine *)self)->tree;
    return (rd_nodes){t->n > t->most ? t->n : t->most, t->most_compressed};
}

static rd_status scale_finish(void *self) {
    scale_engine *e = self;
    rd_nodes nodes = scale_nodes(e);
    snprintf(e->run->out.note, sizeof e->run->out.note,
             "the tree had at most %" PRIu64 " nodes, and at most %" PRIu64
             " right after a compression",
             nodes.most, nodes.compressed);
    return RD_OK;
}

static rd_status scale_check(void *self, const char **why) {
    scale_engine *e = self;
    if (!rdi_block_map_check(&e->last, why) || !rdi_scale_tree_check(&e->tree, why))
        return RD_ESTATE;
    *why = "scale: the tree and the table do not have the same number of blocks";
    return e->tree.live == e->last.n ? RD_OK : RD_ESTATE;
}

static void scale_close(void *self) {
    scale_engine *e = self;
    rdi_block_map_fini(&e->last);
    rdi_scale_tree_fini(&e->tree);
}

static const rd_opt scale_opts[] = {
    {.name = "error",
     .type = RD_OPT_DOUBLE,
     .offset = offsetof(scale_engine, error),
     .def = "0.01",
     .min = 0.00001,
     .max = 0.99,
     .help = "largest relative error: a distance is too small by at most this fraction"},
    {0},
};

static const char *const scale_variants[] = {"error=0.001", "error=0.1", "error=0.5", "error=0.99",
                                             NULL};

static const rdi_alone_ops scale_alone = {
    .feed = scale_feed_known, .prefill = scale_prefill, .nodes = scale_nodes};

const rdi_engine_ops rdi_engine_scale = {
    .info =
        {
            .name = "scale",
            .summary = "Zhong: bounds the relative error, with a scale tree of O(log M) nodes",
            .role = RD_ROLE_STUDY,
            .card =
                "The engine keeps the last references in time ranges, which are longer for\n"
                "greater distances, and counts the blocks in newer ranges. For a true distance\n"
                "d, it reports a number from (1 - error) d to d. First references are exact.\n"
                "\n"
                "Time: O(log M) per reference for M blocks. Memory: 21 to 43 bytes per block for\n"
                "the table that knows when a block was last referenced; the tree has at most\n"
                "4 log(M) / log(1 / (1 - error)) + 4 nodes of 20 bytes and stays in the cache.\n"
                "It is not faster than the exact default engine, because both spend most of their\n"
                "time in the table.\n"
                "\n"
                "Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance.\n"
                "ACM TOPLAS 31(6), 2009.",
            .caps = RD_CAP_DISTANCES,
            .error_kind = "relative",
            .opts = scale_opts,
            .variants = scale_variants,
        },
    .state_size = sizeof(scale_engine),
    .open = scale_open,
    .feed = scale_feed,
    .finish = scale_finish,
    .alone = &scale_alone,
    .check = scale_check,
    .close = scale_close,
};
