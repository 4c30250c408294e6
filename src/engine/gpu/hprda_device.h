/* Declares the steps of HP-RDA on a device. As the paper proposes, each group runs as one thread
 * block of the device.
 *
 * hprda.cu runs the steps with CUDA, and plain_hprda.c runs them in plain memory. Both use
 * engine/papers/hprda_core.h. hprda_device.c makes a backend from the steps. All steps run on
 * RDI_STREAM_WORK.
 */
#ifndef RDI_HPRDA_DEVICE_H
#define RDI_HPRDA_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/papers/hprda_core.h"

/* The counters of a table (see rdi_rda_table). They are adjacent in device memory. */
typedef struct rdi_rda_counts {
    uint32_t used, distinct;
} rdi_rda_counts;

/* The data of a round. Pointers are to device memory. */
typedef struct rdi_rda_work {
    const uint64_t *block;
    uint64_t *dist;
    uint32_t n;
    uint32_t chunk, threads, groups, slots; /* see rdi_rda_shape; adapted to this round */
    bool adjust;
    /* The memory of the threads; `seen` and `live` are zero at first: */
    uint32_t *seen;   /* `slots` numbers per thread */
    uint64_t *live;   /* `words` words per thread */
    uint32_t *origin; /* one number per reference */
    uint32_t words;   /* number of words of 64 bits that a chunk needs */
    /* The tables of the groups: */
    rdi_rda_item *items; /* `group_room` items per group */
    uint32_t *buckets;   /* `group_buckets` numbers per group, zero at first */
    uint32_t group_room, group_buckets;
    rdi_rda_counts *counts; /* zero at first */
    uint32_t *before;       /* `threads` + 1 numbers per group */
    /* The table of all groups: */
    rdi_rda_item *all_items;
    uint32_t *all_buckets; /* zero at first */
    uint32_t room, n_buckets;
    rdi_rda_counts *all_counts; /* zero at first */
    uint32_t *all_before;       /* `groups` + 1 numbers */
    rdi_rda_item *known;        /* output: one item per distinct block */
    uint32_t *n_known;          /* number of items in `known`, zero at first */
    uint32_t *full;             /* set to nonzero if a pool is too small; zero at first */
} rdi_rda_work;

/* These functions run the steps: step 1 analyzes the chunks, step 2 merges the chunks of each
 * group, and step 3 merges the groups. */
rd_status rdi_rda_device_local(rdi_device *d, const rdi_rda_work *w);
rd_status rdi_rda_device_threads(rdi_device *d, const rdi_rda_work *w);
rd_status rdi_rda_device_groups(rdi_device *d, const rdi_rda_work *w);

#ifdef __cplusplus
}
#endif

/* ---- the work of one thread in each step, shared by CUDA and plain C ---- */

RDI_BOTH rdi_rda_table rdi_rda_group_table(const rdi_rda_work *w, uint32_t group) {
    rdi_rda_table t = {w->items + (uint64_t)group * w->group_room,
                       w->buckets + (uint64_t)group * w->group_buckets,
                       w->group_buckets,
                       w->group_room,
                       &w->counts[group].used,
                       &w->counts[group].distinct};
    return t;
}

RDI_BOTH rdi_rda_table rdi_rda_all_table(const rdi_rda_work *w) {
    rdi_rda_table t = {w->all_items, w->all_buckets,       w->n_buckets,
                       w->room,      &w->all_counts->used, &w->all_counts->distinct};
    return t;
}

/* Step 1: thread `t` of a group analyzes its chunk, stores the number of distinct blocks in
 * before[t + 1], and inserts the blocks into the table of the group. */
RDI_BOTH void rdi_rda_run_thread(const rdi_rda_work *w, uint32_t group, uint32_t t) {
    uint64_t number = (uint64_t)group * w->threads + t, begin = number * w->chunk;
    uint64_t left = begin < w->n ? w->n - begin : 0;
    uint32_t n = left < w->chunk ? (uint32_t)left : w->chunk;
    rdi_rda_local l = {w->seen + number * w->slots, w->slots, w->live + number * w->words,
                       w->origin + begin};
    rdi_rda_table table = rdi_rda_group_table(w, group);
    uint32_t *before = w->before + (uint64_t)group * (w->threads + 1);
    before[t + 1] = n ? rdi_rda_analyze(&l, w->block + begin, n, w->dist + begin) : 0;
    if (n &&
        !rdi_rda_summarize(&l, w->block + begin, n, t, (uint32_t)begin, w->dist + begin, &table))
        *w->full = 1;
}

/* Turns the n counts in before[1] to before[n] into prefix sums. One thread calls this function for
 * each array, before the next step. */
RDI_BOTH void rdi_rda_sum_up(uint32_t *before, uint32_t n) {
    before[0] = 0;
    for (uint32_t i = 0; i < n; i++)
        before[i + 1] += before[i];
}

/* Step 2: merges the chunks of a group for the block of item `i`, if that item represents its
 * block, and inserts the result into the table of all groups. */
RDI_BOTH void rdi_rda_run_item(const rdi_rda_work *w, uint32_t group, uint32_t i) {
    rdi_rda_table t = rdi_rda_group_table(w, group), all = rdi_rda_all_table(w);
    if (!t.item[i].list)
        return;
    rdi_rda_level level = {w->before + (uint64_t)group * (w->threads + 1), w->threads, *t.distinct,
                           w->adjust};
    rdi_rda_item known = {0, 0, 0, 0, group, 0, 0, 0};
    rdi_rda_merge(&level, t.item, t.item[i].list, w->dist, &known);
    if (!rdi_rda_insert(&all, known))
        *w->full = 1;
}

/* Step 3: merges the groups for the block of item `i`, if that item represents its block, and adds
 * the result to `known`. */
RDI_BOTH void rdi_rda_run_group_item(const rdi_rda_work *w, uint32_t i) {
    rdi_rda_table all = rdi_rda_all_table(w);
    if (!all.item[i].list)
        return;
    rdi_rda_level level = {w->all_before, w->groups, *all.distinct, w->adjust};
    uint32_t k = rdi_shared_add(w->n_known, 1);
    rdi_rda_merge(&level, all.item, all.item[i].list, w->dist, &w->known[k]);
}

#endif
