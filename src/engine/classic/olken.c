/* olken: measures exact distances with a search tree over the times of last references. The Parda
 * paper describes this method as its Algorithms 1 and 2.
 *
 * A hash table gives the time of the previous reference to a block, and the tree gives the number
 * of blocks referenced since that time. The tree then replaces this time by the present time, which
 * is the newest. The trees `splay` and `avl` (src/order/tree.h) differ in how they limit their
 * depth. `interval` stores ranges of the times that are not last references.
 *
 * Let N be the number of references and M the number of blocks (or the bound). Time: O(N log M),
 * amortized for `splay`. Memory: O(M), which is 21 to 43 bytes per block for the table and 32 to 64
 * bytes for the nodes; `interval` reserves as many nodes, although it seldom needs them. Times have
 * 64 bits and are not renumbered.
 *
 * This is the classic method and the baseline of the papers. It is slow for large M, because each
 * reference follows a path of about log2(M) dependent cache misses.
 *
 * F. Olken. Efficient methods for calculating the success function of fixed space replacement
 * policies. LBL-12370, 1981. R. A. Sugumar, S. G. Abraham. Efficient simulation of caches under
 * optimal replacement with applications to miss characterization. SIGMETRICS 1993. G. Almasi, C.
 * Cascaval, D. A. Padua. Calculating stack distances efficiently. MSP 2002. Q. Niu, J. Dinan, Q.
 * Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm. IPDPS 2012.
 */
#include "engine/core/plugin.h"
#include "order/last_access.h"
#include "order/tree.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct olken_engine {
    uint32_t kind; /* option: index into trees */
    rdi_run *run;
    const rdi_tree_ops *ops;
    rdi_tree tree;        /* the times of last references, or the ranges of times between them */
    rdi_last_access last; /* the time of each block's last reference */
    uint64_t now;
} olken_engine;

static const rdi_tree_ops *const trees[] = {&rdi_tree_splay, &rdi_tree_avl, &rdi_tree_holes};

static rd_status olken_open(void *self, rdi_run *run) {
    olken_engine *e = self;
    e->run = run;
    e->ops = trees[e->kind];
    RD_TRY(rdi_block_map_init(&e->last.time, run->ctx));
    return rdi_tree_init(&e->tree, run->ctx);
}

static rd_status olken_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    olken_engine *e = self;
    const rdi_tree_ops *ops = e->ops;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = 0;
        RD_TRY(rdi_last_access_touch(&e->last, blk[i], e->now, &last));
        dist[i] = last == RDI_ABSENT ? RD_COLD : ops->remove(&e->tree, last);
        RD_TRY(ops->append(&e->tree, e->now));
        e->now++;
        if (e->last.live > e->run->in->bound)
            rdi_last_access_forget(&e->last, ops->remove_oldest(&e->tree));
    }
    return RD_OK;
}

static rd_status olken_take(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    olken_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = rdi_last_access_take(&e->last, blk[i]);
        dist[i] = last == RDI_ABSENT ? RD_COLD : e->ops->remove(&e->tree, last);
    }
    return RD_OK;
}

static rd_status olken_feed_known(void *self, const rd_known *refs, size_t n, uint64_t *dist) {
    olken_engine *e = self;
    const rdi_tree_ops *ops = e->ops;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = refs->last[i];
        dist[i] = last == RD_COLD ? RD_COLD : ops->remove(&e->tree, last);
        if (last != RD_COLD && dist[i] == RDI_NOT_LIVE)
            return rdi_known_fail(e->run, last);
        RD_TRY(ops->append(&e->tree, e->now));
        e->now++;
    }
    return RD_OK;
}

static rd_nodes olken_nodes(const void *self) {
    const olken_engine *e = self;
    return (rd_nodes){.most = e->tree.used - 1};
}

static int by_time(const void *a, const void *b) {
    const rdi_block_slot *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Visits the LRU stack. Sorts the blocks of the table by their times, because the trees contain
 * only times. */
static rd_status olken_order(void *self, rdi_block_visit visit, void *user) {
    olken_engine *e = self;
    rd_ctx *ctx = e->run->ctx;
    rdi_last_access_sweep(&e->last);
    rdi_block_slot *slot = rdi_alloc(ctx, e->last.live, sizeof *slot);
    if (!slot)
        return RD_ENOMEM;
    size_t n = 0, cursor = 0;
    for (rdi_block_slot *s; (s = rdi_block_map_next(&e->last.time, &cursor)) != NULL;)
        slot[n++] = *s;
    qsort(slot, n, sizeof *slot, by_time);
    rd_status status = RD_OK;
    uint64_t block[512];
    for (size_t at = 0; at < n && status == RD_OK;) {
        size_t part = 0;
        for (; part < RDI_COUNT(block) && at < n; part++, at++)
            block[part] = slot[at].block;
        status = visit(user, block, part);
    }
    rdi_free(ctx, slot);
    return status;
}

static rd_status olken_check(void *self, const char **why) {
    olken_engine *e = self;
    if (!rdi_last_access_check(&e->last, why) || !e->ops->check(&e->tree, why))
        return RD_ESTATE;
    *why = "olken: the tree and the table do not have the same number of live blocks";
    return e->ops->live(&e->tree) == e->last.live ? RD_OK : RD_ESTATE;
}

static void olken_close(void *self) {
    olken_engine *e = self;
    rdi_block_map_fini(&e->last.time);
    rdi_tree_fini(&e->tree);
}

static const rd_opt olken_opts[] = {
    {.name = "tree",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(olken_engine, kind),
     .def = "splay",
     .choices = "splay|avl|interval",
     .help = "splay, avl: tree of last references; interval: AVL tree of the time ranges between "
             "them"},
    {0},
};

static const char *const olken_variants[] = {"tree=splay", "tree=avl", "tree=interval", NULL};

static const rdi_alone_ops olken_alone = {.feed = olken_feed_known, .nodes = olken_nodes};

static const rdi_chunk_ops olken_chunk = {.order = olken_order, .take = olken_take};

const rdi_engine_ops rdi_engine_olken = {
    .info =
        {
            .name = "olken",
            .summary = "Olken: keeps last references in a search tree: splay, AVL or interval",
            .role = RD_ROLE_STUDY,
            .card =
                "A hash table knows when a block was last referenced; a search tree with subtree\n"
                "sizes counts the newer last references. That number is the distance.\n"
                "  tree=splay     self-adjusting (Sugumar and Abraham's Cheetah, Parda)\n"
                "  tree=avl       height-balanced (Olken)\n"
                "  tree=interval  keeps the time ranges between last references (Almasi et al.);\n"
                "                 the tree is small if reuse is near in time\n"
                "\n"
                "Time: O(log M) per reference for M blocks. Memory: 21 to 43 bytes per block for\n"
                "the table and 32 to 64 bytes for the tree. It is the baseline of the papers. It\n"
                "is slow for large M, where each reference waits for about log2(M) cache misses\n"
                "in a row.\n"
                "\n"
                "F. Olken. Efficient methods for calculating the success function of fixed space\n"
                "replacement policies. LBL-12370, 1981.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = olken_opts,
            .variants = olken_variants,
        },
    .state_size = sizeof(olken_engine),
    .open = olken_open,
    .feed = olken_feed,
    .chunk = &olken_chunk,
    .alone = &olken_alone,
    .check = olken_check,
    .close = olken_close,
};
