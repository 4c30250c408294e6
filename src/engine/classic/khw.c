/* khw: counts hits exactly at given cache sizes, with Kim, Hill and Wood's LRU list with markers.
 *
 * The blocks form a list by recency. For each size s a marker points at the s-th block, the last
 * one that a cache of s blocks holds. Each block knows its zone: the number of markers before it. A
 * reference is counted in the zone of its block, that is, in the bin between two marker sizes. When
 * the block then moves to the beginning of the list, each marker up to its old place moves to the
 * next newer block. The engine never computes the distance itself.
 *
 * Let N be the number of references, M the number of blocks (or the bound) and S the number of
 * sizes. Time: O(N S); most references need one look-up and change a few links. Memory: O(M), which
 * is 21 to 43 bytes per block for the table and 24 to 48 bytes for the list.
 *
 * Use it for a handful of sizes. It cannot give a whole curve or distances.
 *
 * Y. H. Kim, M. D. Hill, D. A. Wood. Implementing stack simulation for highly-associative memories.
 * SIGMETRICS 1991.
 */
#include "engine/core/plugin.h"
#include "order/block_map.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* An entry of the list: one block. It takes 24 bytes. */
typedef struct entry {
    uint64_t block;
    uint32_t newer, older; /* neighbors in the list; NONE at its ends */
    uint32_t zone;         /* number of markers before this entry */
} entry;

/* Invariants: For every z below `markers`, marker[z] is entry number sizes.value[z] - 1 of
 * the list, counted from 0 at the newest. The zone of entry p is the number of sizes <= p. */
typedef struct khw_engine {
    rd_sizes sizes; /* option; open() sorts the sizes, and removes duplicates and sizes that are not
                       below the bound */
    rdi_run *run;
    rdi_block_map index; /* maps a block to the index of its entry */
    entry *list;
    uint32_t newest, oldest, n, room;
    uint32_t markers; /* number of sizes that are at most n */
    uint32_t marker[RD_SIZES_MAX];
    uint64_t hits[RD_SIZES_MAX + 1]; /* number of hits per zone */
    uint64_t infinite;
} khw_engine;

static int compare_sizes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the sizes, and removes duplicates and sizes that are not below the bound, because all
 * distances from the bound on count as infinite. */
static void tidy_sizes(rd_sizes *sizes, uint64_t bound) {
    qsort(sizes->value, sizes->n, sizeof *sizes->value, compare_sizes);
    size_t n = 0;
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->value[i] < bound && (n == 0 || sizes->value[n - 1] != sizes->value[i]))
            sizes->value[n++] = sizes->value[i];
    sizes->n = n;
}

static rd_status khw_open(void *self, rdi_run *run) {
    khw_engine *e = self;
    e->run = run;
    e->newest = e->oldest = NONE;
    tidy_sizes(&e->sizes, run->in->bound);
    if (e->sizes.n && e->sizes.value[0] == 0)
        return rdi_fail(run->ctx, RD_EINVAL,
                        "engine khw: sizes= contains 0; give sizes of at least one block");
    run->out.sums_unknown = true;
    RD_TRY(rdi_block_map_init(&e->index, run->ctx));
    return rdi_engine_use_edges(run, e->sizes.value, e->sizes.n);
}

static void unlink_entry(khw_engine *e, uint32_t at) {
    uint32_t newer = e->list[at].newer, older = e->list[at].older;
    *(newer == NONE ? &e->newest : &e->list[newer].older) = older;
    *(older == NONE ? &e->oldest : &e->list[older].newer) = newer;
}

static void link_newest(khw_engine *e, uint32_t at) {
    e->list[at].newer = NONE;
    e->list[at].older = e->newest;
    e->list[at].zone = 0;
    *(e->newest == NONE ? &e->oldest : &e->list[e->newest].newer) = at;
    e->newest = at;
}

/* Moves each of the first `zone` markers to the next newer entry, after an entry has been put at
 * the beginning of the list. The entry to which a marker pointed has moved one place back, so it is
 * now behind the marker, and its zone increases by 1. */
static void advance_markers(khw_engine *e, uint32_t zone) {
    for (uint32_t z = 0; z < zone; z++) {
        entry *fallen = &e->list[e->marker[z]];
        fallen->zone++;
        e->marker[z] = fallen->newer;
    }
}

static void move_to_front(khw_engine *e, uint32_t at) {
    uint32_t zone = e->list[at].zone;
    if (at == e->newest)
        return;
    if (zone < e->markers && e->marker[zone] == at)
        e->marker[zone] = e->list[at].newer; /* the newer entry moves to the place of `at` */
    unlink_entry(e, at);
    link_newest(e, at);
    advance_markers(e, zone);
}

static rd_status grow_list(khw_engine *e) {
    if (e->room == NONE)
        return rdi_fail(
            e->run->ctx, RD_ERANGE,
            "engine khw: the trace has more blocks than the limit of this engine, %" PRIu32
            "; use engine auto",
            NONE);
    uint32_t room = e->room > NONE / 2 ? NONE : e->room ? e->room * 2 : 64;
    entry *grown = rdi_resize(e->run->ctx, e->list, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    e->list = grown;
    e->room = room;
    return RD_OK;
}

/* Sets *out to the index of an entry for a new block: an unused entry or, if the bound is reached,
 * the oldest one, whose block is then removed. */
static rd_status take_entry(khw_engine *e, uint32_t *out) {
    if (e->n == e->run->in->bound) {
        *out = e->oldest;
        rdi_block_map_remove(&e->index, e->list[*out].block);
        unlink_entry(e, *out);
        return RD_OK;
    }
    if (e->n == e->room)
        RD_TRY(grow_list(e));
    *out = e->n++;
    return RD_OK;
}

/* Inserts a new entry as the newest one, and updates the markers. */
static void enter_at_front(khw_engine *e, uint32_t at) {
    link_newest(e, at);
    advance_markers(e, e->markers);
    if (e->markers < e->sizes.n && e->sizes.value[e->markers] == e->n)
        e->marker[e->markers++] = e->oldest;
}

static rd_status insert_at_front(khw_engine *e, uint64_t block) {
    uint32_t at = 0;
    RD_TRY(take_entry(e, &at));
    uint64_t old = 0;
    RD_TRY(rdi_block_map_exchange(&e->index, block, at, &old));
    e->list[at].block = block;
    enter_at_front(e, at);
    return RD_OK;
}

static rd_status khw_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    khw_engine *e = self;
    (void)dist;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *found = rdi_block_map_find(&e->index, blk[i]);
        if (found) {
            e->hits[e->list[*found].zone]++;
            move_to_front(e, (uint32_t)*found);
        } else {
            e->infinite++;
            RD_TRY(insert_at_front(e, blk[i]));
        }
    }
    return RD_OK;
}

/* Uses the numbers of the blocks as indices of their entries. */
static rd_status khw_feed_known(void *self, const rd_known *refs, size_t n, uint64_t *dist) {
    khw_engine *e = self;
    (void)dist;
    for (size_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)refs->number[i];
        bool cold = refs->last[i] == RD_COLD;
        if (cold ? refs->number[i] != e->n : refs->number[i] >= e->n)
            return rdi_fail(e->run->ctx, RD_EINVAL,
                            "engine khw: %" PRIu64 " is not the number of this block; number the "
                            "blocks 0, 1, 2 ... in the order of their first references",
                            refs->number[i]);
        if (!cold) {
            e->hits[e->list[at].zone]++;
            move_to_front(e, at);
            continue;
        }
        e->infinite++;
        RD_TRY(take_entry(e, &at));
        e->list[at].block = refs->number[i];
        enter_at_front(e, at);
    }
    return RD_OK;
}

static rd_nodes khw_nodes(const void *self) {
    const khw_engine *e = self;
    return (rd_nodes){.most = e->n};
}

static rd_status khw_finish(void *self) {
    khw_engine *e = self;
    for (size_t z = 0; z <= e->sizes.n; z++)
        if (e->hits[z])
            RD_TRY(rdi_hist_add_bin(e->run->out.hist, z ? e->sizes.value[z - 1] : 0, e->hits[z],
                                    (rd_sum){0, 0}));
    return rdi_hist_add_many(e->run->out.hist, RD_COLD, e->infinite);
}

static rd_status khw_check(void *self, const char **why) {
    khw_engine *e = self;
    uint32_t zone = 0, place = 0;
    *why = "khw: a marker, a zone or a link is wrong";
    for (uint32_t at = e->newest; at != NONE && place < e->n; at = e->list[at].older, place++) {
        if (zone < e->markers && e->sizes.value[zone] == place)
            zone++;
        bool marked = zone < e->markers && e->sizes.value[zone] == place + 1;
        const uint64_t *found = rdi_block_map_find(&e->index, e->list[at].block);
        if (e->list[at].zone != zone || (marked && e->marker[zone] != at) || !found || *found != at)
            return RD_ESTATE;
    }
    *why = "khw: the list and the table differ in length";
    return place == e->n && e->n == e->index.n ? RD_OK : RD_ESTATE;
}

static void khw_close(void *self) {
    khw_engine *e = self;
    rdi_block_map_fini(&e->index);
    if (e->run)
        rdi_free(e->run->ctx, e->list);
}

static const rd_opt khw_opts[] = {
    {.name = "sizes",
     .type = RD_OPT_SIZES,
     .offset = offsetof(khw_engine, sizes),
     .def = "32:16K:1M",
     .help = "cache sizes in blocks, up to 64 of them, separated by ':'"},
    {0},
};

static const char *const khw_variants[] = {
    "sizes=32:16K:1M",
    "sizes=1:2:3:4:6:8:12:16:24:32:48:64:96:128:192:256:384:512:768:1K:2K:4K:8K:16K:32K:64K", NULL};

static const rdi_alone_ops khw_alone = {.feed = khw_feed_known, .nodes = khw_nodes};

const rdi_engine_ops rdi_engine_khw = {
    .info =
        {
            .name = "khw",
            .summary =
                "Kim-Hill-Wood: counts the hits of given cache sizes exactly, without distances",
            .role = RD_ROLE_STUDY,
            .card =
                "The blocks form a list by recency, with a marker at each cache size. Each block\n"
                "knows between which markers it lies. The histogram has one bin between two\n"
                "sizes, so miss ratios are exact at these sizes and unknown elsewhere. With a\n"
                "bound, sizes of the bound or more are left out.\n"
                "\n"
                "Time: O(number of sizes) per reference. For a few sizes it is the fastest\n"
                "classic method. Memory: 21 to 43 bytes per block for the table, and 24 to 48\n"
                "bytes for the list. It cannot give a whole curve, distances or their sums.\n"
                "\n"
                "Y. H. Kim, M. D. Hill, D. A. Wood. Implementing stack simulation for\n"
                "highly-associative memories. SIGMETRICS 1991.",
            .caps = RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = khw_opts,
            .variants = khw_variants,
        },
    .state_size = sizeof(khw_engine),
    .open = khw_open,
    .feed = khw_feed,
    .finish = khw_finish,
    .alone = &khw_alone,
    .check = khw_check,
    .close = khw_close,
};
