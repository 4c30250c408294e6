/* Collects the details of shared blocks. See shared_blocks.h. */
#include "sharing/shared_blocks.h"

#include <string.h>

rd_status rdi_shared_blocks_init(rdi_shared_blocks *b, rd_ctx *ctx, uint64_t block_bytes) {
    b->ctx = ctx;
    b->block_bytes = block_bytes;
    for (uint64_t units = block_bytes; units > 64; units /= 2)
        b->run_bits++;
    rdi_modules_init(&b->modules, ctx);
    RD_TRY(rdi_regions_init(&b->regions, ctx, &b->modules, RD_REGIONS_MAX));
    return rdi_block_map_init(&b->site_index, ctx);
}

void rdi_shared_blocks_fini(rdi_shared_blocks *b) {
    if (!b->ctx)
        return;
    rdi_regions_fini(&b->regions);
    rdi_modules_fini(&b->modules);
    rdi_block_map_fini(&b->site_index);
    rdi_pages_free(b->ctx, b->uses, (size_t)b->uses_room * sizeof *b->uses);
    rdi_pages_free(b->ctx, b->details, (size_t)b->details_room * sizeof *b->details);
    rdi_pages_free(b->ctx, b->runs, (size_t)b->runs_room * sizeof *b->runs);
    rdi_pages_free(b->ctx, b->sites, (size_t)b->sites_room * sizeof *b->sites);
}

rd_status rdi_shared_blocks_event(rdi_shared_blocks *b, const rd_event *event) {
    bool replaced = false;
    uint64_t last;
    switch (event->kind) {
    case RD_EVENT_MODULE:
        RD_TRY(rdi_modules_add(&b->modules, event, b->epoch, &replaced));
        b->epoch += replaced;
        return RD_OK;
    case RD_EVENT_UNLOAD:
        return RD_OK; /* the code of the module keeps its names */
    case RD_EVENT_ALLOCATE:
    case RD_EVENT_RELEASE:
    case RD_EVENT_STACK:
        if (!rdi_regions_extent(&b->regions, event, &last))
            return RD_OK;
        return rdi_regions_event(&b->regions, event, last, b->epoch);
    default:
        return RD_OK;
    }
}

/* Grows an array of elements of `size` bytes so that it has an element with index `n`. */
static rd_status grow(rdi_shared_blocks *b, void **array, uint64_t *room, uint64_t n, size_t size) {
    uint64_t to = *room ? *room : 64;
    while (to <= n)
        to *= 2;
    return rdi_pages_grow_array(b->ctx, array, room, to, size);
}

#define GROW(b, array, n)                                                                          \
    do {                                                                                           \
        void *grown_ = (b)->array;                                                                 \
        rd_status status_ = grow((b), &grown_, &(b)->array##_room, (n), sizeof *(b)->array);       \
        (b)->array = grown_;                                                                       \
        RD_TRY(status_);                                                                           \
    } while (0)

rd_status rdi_shared_blocks_room(rdi_shared_blocks *b, uint64_t c) {
    if (c >= b->uses_room)
        GROW(b, uses, c);
    return RD_OK;
}

/* Finds the data that the block holds now, and stores them in d->pieces. */
static rd_status snapshot(rdi_shared_blocks *b, rdi_shared_detail *d) {
    uint64_t bytes = b->block_bytes ? b->block_bytes : 1, from = d->block * bytes;
    uint64_t to = from + (bytes - 1);
    d->n_pieces = 0;
    for (uint64_t at = from; d->n_pieces < RDI_PIECES_MAX;) {
        rdi_span *piece = &d->pieces[d->n_pieces++];
        RD_TRY(rdi_regions_at(&b->regions, at, to, b->epoch, piece));
        if (piece->to >= to || piece->to < at)
            return RD_OK;
        at = piece->to + 1;
    }
    return RD_OK;
}

rd_status rdi_shared_blocks_add(rdi_shared_blocks *b, uint64_t block, uint32_t *out) {
    GROW(b, details, b->n_details + 1);
    *out = (uint32_t)++b->n_details;
    b->details[*out] = (rdi_shared_detail){.block = block};
    return RD_OK;
}

/* Adds a run to the log of a block, unless the log is full. */
static rd_status add_run(rdi_shared_blocks *b, rdi_shared_detail *d, rdi_shared_run run) {
    d->cut = d->cut || b->n_runs == RDI_LOG_MAX;
    if (d->cut)
        return RD_OK;
    GROW(b, runs, b->n_runs + 1);
    uint32_t number = (uint32_t)++b->n_runs;
    b->runs[number] = run;
    *(d->last_run ? &b->runs[d->last_run].next : &d->first_run) = number;
    d->last_run = number;
    return RD_OK;
}

rd_status rdi_shared_blocks_seed(rdi_shared_blocks *b, uint32_t detail, uint32_t thread, uint32_t c,
                                 uint64_t lost) {
    rdi_shared_run seed = {
        .read = b->uses[c].touched, .stored = lost, .thread = thread & INT32_MAX, .seed = 1};
    return add_run(b, &b->details[detail], seed);
}

rd_status rdi_shared_blocks_log(rdi_shared_blocks *b, uint32_t detail, uint32_t thread, uint32_t c,
                                const rdi_shared_use *use, uint64_t n_loads, uint64_t n_stores) {
    rdi_copy_use *all = &b->uses[c];
    all->loads += n_loads;
    all->stores += n_stores;
    all->touched |= use->loads | use->stores;
    if (!detail)
        return RD_OK;
    rdi_shared_detail *d = &b->details[detail];
    const rdi_shared_run *last = &b->runs[d->last_run];
    if (last->thread != thread || last->seed)
        RD_TRY(add_run(b, d, (rdi_shared_run){.thread = thread & INT32_MAX}));
    if (!d->cut) {
        b->runs[d->last_run].read |= use->loads;
        b->runs[d->last_run].stored |= use->stores;
    }
    return RD_OK;
}

/* Finds or makes the site of an instruction in a block. */
static rd_status find_site(rdi_shared_blocks *b, uint32_t detail, uint64_t pc,
                           rdi_shared_site **out) {
    uint64_t key = rdi_mix64(pc + UINT64_C(0x9e3779b97f4a7c15) * detail), old;
    const uint64_t *known = rdi_block_map_find(&b->site_index, key);
    uint32_t first = known ? (uint32_t)*known : 0;
    for (uint32_t i = first; i; i = b->sites[i].next)
        if (b->sites[i].pc == pc && b->sites[i].detail == detail) {
            *out = &b->sites[i];
            return RD_OK;
        }
    GROW(b, sites, b->n_sites + 1);
    uint32_t new = (uint32_t)++b->n_sites;
    b->sites[new] = (rdi_shared_site){.pc = pc, .detail = detail, .next = first};
    *out = &b->sites[new];
    return rdi_block_map_exchange(&b->site_index, key, new, &old);
}

rd_status rdi_shared_blocks_miss(rdi_shared_blocks *b, uint32_t detail, uint32_t c,
                                 bool true_sharing) {
    rdi_shared_site *site;
    rdi_shared_detail *d = &b->details[detail];
    const rdi_copy_use use = b->uses[c];
    *(true_sharing ? &d->true_sharing : &d->false_sharing) += 1;
    uint64_t misses = d->true_sharing + d->false_sharing;
    /* Memory may be freed and reused, so a new snapshot is taken after 1, 2, 4 ... misses. */
    if ((misses & (misses - 1)) == 0)
        RD_TRY(snapshot(b, d));
    RD_TRY(find_site(b, detail, use.miss_pc, &site));
    *(true_sharing ? &site->true_sharing : &site->false_sharing) += 1;
    RD_TRY(find_site(b, detail, use.remove_pc, &site));
    site->removals++;
    return RD_OK;
}
