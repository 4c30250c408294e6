/* Counts every reference, with one look-up of its block, one look-up of its tuple, and a count in
 * the current window. tuples.h explains how all results follow from these counts.
 *
 * References are processed in tiles, in three passes per tile:
 *
 * - prepare: sites, words and home slots, which depend on one reference only, in vector code
 * - resolve: the previous use and the region of each block, which give the key of the tuple
 * - count: adds to the tuples and the window
 *
 * The data that a pass needs is prefetched while another pass works on another tile, one cache line
 * per reference, so that the memory system is never overloaded: the entries of blocks are
 * prefetched while the tile before the last is counted, and tuples while the next tile is resolved.
 * So two tiles stay unfinished until the window ends, even between batches, which are short if
 * there are many events.
 */
#include "attribution/attributor.h"

#include "reusedist/engine.h"

#include <string.h>
#include <time.h>

/* An attribute that keeps each pass a separate function, because one function with all loops would
 * run out of registers. */
#define PASS static __attribute__((noinline))

/* ---- prepare ---- */

/* Returns the last address of a reference. */
static uint64_t end_of(const rd_refs *refs, uint32_t i) {
    return refs->addr[i] + (refs->size && refs->size[i] ? refs->size[i] - 1 : 0);
}

/* Returns whether reference i of the tile begins in its block and, if words are distinguished, also
 * ends there. */
static bool is_whole(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const rdi_tile *p, size_t i) {
    uint64_t first = refs->addr[origin[i]], last = end_of(refs, origin[i]);
    return first >> a->block_bits == p->blocks[i] &&
           (a->words_per_block == 1 || last >> a->block_bits == p->blocks[i]);
}

/* Returns whether the tile consists of consecutive references that touch one block each. The batch
 * must be gapless: in `origin`, each number is equal to the one before it or one larger. */
static bool is_plain(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const rdi_tile *p) {
    return origin[p->n - 1] - origin[0] == p->n - 1 && is_whole(a, refs, origin, p, 0) &&
           is_whole(a, refs, origin, p, p->n - 1);
}

PASS rd_status prepare_sites(rd_attributor *a, const uint64_t *pc, rdi_tile *p) {
    if (RDI_LIKELY(a->passes->sites(a->sites.cache, pc, p->n, p->reuse)))
        return RD_OK;
    for (size_t i = 0; i < p->n; i++) {
        uint32_t site = 0;
        if (p->reuse[i])
            continue;
        RD_TRY(rdi_sites_find(&a->sites, pc[i], &site));
        p->reuse[i] = (rdi_tuple_key)site << RDI_REUSE_SHIFT;
    }
    return RD_OK;
}

/* Returns the values of a column of the batch for the n references of the tile: a pointer into the
 * column if the tile is `plain` (is_plain()) and the batch has the column, otherwise a copy in
 * `room`. `column` is NULL if the batch lacks the column; its values are 0 then. */
static const uint64_t *part_of(const uint64_t *column, const uint32_t *origin, bool plain, size_t n,
                               uint64_t *room) {
    if (plain && column)
        return column + origin[0];
    for (size_t i = 0; i < n; i++)
        room[i] = column ? column[origin[i]] : 0;
    return room;
}

static void find_homes(const rd_attributor *a, rdi_tile *p) {
    a->passes->homes(p->context, p->n, rdi_contexts_shift(&a->contexts), p->home);
    p->moves = a->contexts.moves;
}

PASS void prepare_contexts(rd_attributor *a, const uint64_t *numbers, rdi_tile *p) {
    rdi_contexts *c = &a->contexts;
    c->seen = true;
    if (!a->passes->contexts(c->small_masks, c->small_room, numbers, p->reuse, p->n, p->context))
        rdi_contexts_keys(c, numbers, p->n, p->reuse, RDI_REUSE_SHIFT, p->context);
    find_homes(a, p);
}

/* Prepares tile `p` of p->n references, which begin at index `from` of the batch. `gapless` says
 * that no reference between the first and the last one of the batch was dropped. */
static rd_status prepare(rd_attributor *a, const rd_attributed *batch, bool gapless, size_t from,
                         rdi_tile *p) {
    const rd_refs *refs = batch->refs;
    const uint32_t *origin = batch->origin + from;
    p->blocks = batch->blocks + from;
    p->distances = batch->distances + from;
    bool plain = gapless && is_plain(a, refs, origin, p);
    RD_TRY(prepare_sites(a, part_of(refs->pc, origin, plain, p->n, p->own_pc), p));
    const uint64_t *contexts = refs->more[RD_MORE_CONTEXT];
    p->has_contexts = contexts && a->config.contexts;
    if (p->has_contexts)
        prepare_contexts(a, part_of(contexts, origin, plain, p->n, p->own_numbers), p);
    if (plain && refs->size) {
        p->address = refs->addr + origin[0];
        a->passes->words(p->address, refs->size + origin[0], p->n, a->word_bits,
                         a->words_per_block - 1, p->words);
    } else {
        a->passes->clipped(refs, origin, p->blocks, p->n, a->block_bits, a->word_bits,
                           a->words_per_block - 1, p->own_address, p->words);
        p->address = p->own_address;
    }
    a->passes->touches(&a->touched.young, p->blocks, p->n, p->touch);
    return RD_OK;
}

/* ---- resolve ---- */

/* Returns whether the cache of regions (regions.h) has the region of an address in the block of
 * `touch`, which several regions share. If so, *out is the region, in its bits of a key; otherwise
 * *out has no meaning. */
static inline bool recall_region(rd_attributor *a, const rdi_touch *touch, uint64_t address,
                                 rdi_tuple_key *out) {
    const rdi_region_recall *recall = rdi_regions_recall(&a->regions, address);
    *out = rdi_region_in_key(recall->region);
    return touch->version == recall->version && recall->address == address && touch->version;
}

/* Finds the region of an address in the block of `touch`, and stores it in `touch` if the block has
 * only one region, otherwise in the cache of regions. */
static rd_status find_region(rd_attributor *a, rdi_touch *touch, uint64_t address,
                             rdi_tuple_key *out) {
    if (recall_region(a, touch, address, out))
        return RD_OK;
    uint32_t region = 0;
    bool alone = true;
    if (a->regions.known) {
        uint64_t start = touch->block << a->block_bits;
        uint64_t end = start + ((UINT64_C(1) << a->block_bits) - 1);
        RD_TRY(rdi_regions_find(&a->regions, address, a->sites.epoch, start, end, &region, &alone));
    }
    *out = rdi_region_in_key(region);
    touch->region = alone ? (uint32_t)*out : RDI_MIXED;
    if (alone) {
        touch->version = a->regions.version;
        return RD_OK;
    }
    if (!(touch->version & RDI_MIXED_VERSION))
        touch->version = RDI_MIXED_VERSION | rdi_new_version(a);
    *rdi_regions_recall(&a->regions, address) =
        (rdi_region_recall){address, touch->version, region};
    return RD_OK;
}

/* Ends and restarts the word sets of the levels that miss at this distance. If the distance is
 * infinite, the previous use does not count, even if it is known. */
static __attribute__((noinline)) void miss(rd_attributor *a, rdi_touch *touch, uint64_t distance) {
    unsigned missed = a->steps.missed[rdi_step_of(&a->steps, distance)];
    if (distance == RD_COLD) {
        missed = RDI_WORD_SETS;
        touch->use = 0;
    }
    rdi_end_sets(a, touch, missed);
    for (unsigned set = 0; set < missed; set++)
        a->fetched[set]++;
    touch->words |= (touch->words & 0xff) * RDI_WORDS_IN_ALL;
    touch->words &= ~UINT64_C(0) << 8 * missed;
}

/* Finds or makes the entry of reference i's block, which is not in its home slot. */
static rd_status find_touch(rd_attributor *a, rdi_tile *p, size_t i) {
    const rdi_touch *slots = a->touched.young.slot;
    rdi_touch *found = NULL;
    RD_TRY(rdi_touched_find(&a->touched, p->blocks[i], &found));
    if (a->touched.young.slot != slots) /* the table has moved */
        a->passes->touches(&a->touched.young, p->blocks, p->n, p->touch);
    p->touch[i] = found;
    return RD_OK;
}

/* Resolves reference i in the rare cases: its entry is not in the home slot, or the region of its
 * block is unknown, outdated or not unique. */
static __attribute__((noinline)) rd_status look_closer(rd_attributor *a, rdi_tile *p, size_t i,
                                                       rdi_tuple_key *region) {
    uint64_t distance = p->distances[i];
    if (p->touch[i]->block != p->blocks[i] || rdi_touch_is_free(p->touch[i]))
        RD_TRY(find_touch(a, p, i));
    rdi_touch *touch = p->touch[i];
    if (distance >= a->first_miss)
        miss(a, touch, distance);
    *region = touch->region;
    return touch->version == a->regions.version ? RD_OK
                                                : find_region(a, touch, p->address[i], region);
}

/* Resolves a tile, and prefetches the tuples of the tile `before`. */
PASS rd_status resolve(rd_attributor *a, rdi_tile *p, const rdi_tile *before) {
    const uint64_t *blocks = p->blocks, *distances = p->distances;
    const uint32_t version = a->regions.version;
    const uint64_t first_miss = a->first_miss;
    for (size_t i = 0, n = p->n; i < n; i++) {
        rdi_touch *touch = p->touch[i];
        rdi_tuple_key region = touch->region;
        rdi_tuple_key its = 0;
        if (RDI_LIKELY(
                touch->block == blocks[i] &&
                (touch->version == version || recall_region(a, touch, p->address[i], &its)))) {
            region |= its; /* at least one of `region` and `its` is 0 */
            if (RDI_UNLIKELY(distances[i] >= first_miss))
                miss(a, touch, distances[i]);
        } else {
            rdi_tuple_key found;
            RD_TRY(look_closer(a, p, i, &found));
            touch = p->touch[i];
            region = found;
        }
        rdi_tuple_key reuse = p->reuse[i];
        p->key[i] = touch->use | reuse | region;
        touch->use = reuse << (RDI_USE_SHIFT - RDI_REUSE_SHIFT);
        touch->words |= p->words[i];
        RDI_PREFETCH(before->tuple[i]);
    }
    a->passes->tuples(&a->tuples, p->key, p->n, p->tuple);
    p->slots = a->tuples.slot;
    return RD_OK;
}

/* ---- count ---- */

static inline unsigned step_of(const rd_attributor *a, uint64_t distance) {
    return RDI_LIKELY(distance < RDI_COUNT(a->near_steps)) ? a->near_steps[distance]
                                                           : rdi_step_of(&a->steps, distance);
}

/* Finds or makes the tuple of reference i, which is not in its home slot. */
static __attribute__((noinline)) rd_status find_tuple(rd_attributor *a, rdi_tile *p, size_t i) {
    const rdi_tuple *slots = a->tuples.slot;
    RD_TRY(rdi_tuples_find(&a->tuples, p->key[i], &p->tuple[i]));
    if (a->tuples.slot != slots) /* the table has moved */
        a->passes->tuples(&a->tuples, p->key + i + 1, p->n - i - 1, p->tuple + i + 1);
    return RD_OK;
}

/* Counts the references of tile `p` in their tuples and in `window`. Prefetches the block entries of
 * the tile `next`. */
PASS rd_status count(rd_attributor *a, rdi_tile *p, rdi_counts *window, const rdi_tile *next) {
    const uint64_t *distances = p->distances;
    /* If the table has moved since the tile was resolved, find the home slots again. */
    if (RDI_UNLIKELY(p->slots != a->tuples.slot))
        a->passes->tuples(&a->tuples, p->key, p->n, p->tuple);
    uint64_t sum = 0; /* sum of the distances in steps below RDI_SMALL_STEPS */
    for (size_t i = 0, n = p->n; i < n; i++) {
        RDI_PREFETCH(next->touch[i]);
        uint64_t distance = distances[i];
        unsigned step = step_of(a, distance);
        if (RDI_UNLIKELY(p->tuple[i]->key != p->key[i]))
            RD_TRY(find_tuple(a, p, i));
        rdi_tuple *tuple = p->tuple[i];
        p->step[i] = (uint8_t)step;
        window->at[step]++;
        if (RDI_UNLIKELY(!rdi_tuple_count(tuple, step, distance)))
            RD_TRY(rdi_tuple_count_large(&a->tuples, tuple, step, distance));
        if (RDI_LIKELY(step < RDI_SMALL_STEPS))
            sum += distance;
        else
            window->sum += distance == RD_COLD ? 0 : distance;
    }
    window->sum += sum;
    return RD_OK;
}

/* Counts the references of tile `p` in their calling contexts. Prefetches the counters of the tile
 * `next`. */
PASS rd_status count_contexts(rd_attributor *a, rdi_tile *p, const rdi_tile *next) {
    rdi_contexts *c = &a->contexts;
    rdi_context_counts *slots = c->slot;
    const uint8_t *missed = a->steps.missed;
    uint8_t slow[RDI_TILE];
    size_t n_slow = 0;
    if (RDI_UNLIKELY(p->moves != c->moves))
        find_homes(a, p);
    for (size_t i = 0, n = p->n; i < n; i++) {
        RDI_PREFETCH(&slots[next->home[i]]);
        if (RDI_LIKELY(rdi_contexts_count(slots, p->home[i], p->context[i], missed[p->step[i]])))
            continue;
        rdi_contexts_prefetch_beyond(c, p->home[i]);
        slow[n_slow++] = (uint8_t)i;
    }
    for (size_t k = 0; k < n_slow; k++)
        RD_TRY(rdi_contexts_count_slowly(c, p->context[slow[k]], missed[p->step[slow[k]]]));
    return RD_OK;
}

/* Counts the references of tile `p`, and empties it. Prefetches for the tile `next`. */
static rd_status count_tile(rd_attributor *a, rdi_tile *p, rdi_counts *window,
                            const rdi_tile *next) {
    RD_TRY(count(a, p, window, next));
    if (p->has_contexts)
        RD_TRY(count_contexts(a, p, next));
    p->n = 0;
    return RD_OK;
}

/* Returns the tile that is `before` tiles before the next tile to fill. */
static rdi_tile *tile_before(rd_attributor *a, unsigned before) {
    return &a->tiles[(a->turn + RDI_TILES - before) % RDI_TILES];
}

/* Processes the references from index `from` to `to` - 1 of the batch, which belong to `window`. */
static rd_status feed_window(rd_attributor *a, const rd_attributed *batch, bool gapless,
                             size_t from, size_t to, rdi_counts *window) {
    for (size_t at = from; at < to; at += RDI_TILE) {
        rdi_tile *p = tile_before(a, 0);
        p->n = to - at < RDI_TILE ? to - at : RDI_TILE;
        RD_TRY(prepare(a, batch, gapless, at, p));
        RD_TRY(count_tile(a, tile_before(a, 2), window, p));
        RD_TRY(resolve(a, p, tile_before(a, 1)));
        for (size_t i = 0; batch->tags && i < p->n; i++)
            batch->tags[at + i] = p->key[i] & RDI_TAG_FIELD;
        a->turn = (a->turn + 1) % RDI_TILES;
    }
    return RD_OK;
}

rd_status rdi_count_rest(rd_attributor *a) {
    if (a->references == 0)
        return RD_OK;
    rdi_counts *window = &a->windows.row[a->windows.n - 1];
    for (unsigned before = RDI_TILES - 1; before > 0; before--)
        RD_TRY(count_tile(a, tile_before(a, before), window, tile_before(a, 0)));
    return RD_OK;
}

static rd_status feed_windows(rd_attributor *a, const rd_attributed *batch) {
    bool gapless = a->passes->gapless(batch->origin, batch->n);
    for (size_t at = 0, n; at < batch->n; at += n) {
        rdi_counts *window = rdi_windows_now(&a->windows);
        n = batch->n - at < a->windows.left ? batch->n - at : (size_t)a->windows.left;
        RD_TRY(feed_window(a, batch, gapless, at, at + n, window));
        a->windows.left -= n;
        a->references += n;
        if (a->windows.left == 0)
            RD_TRY(rdi_count_rest(a));
    }
    return RD_OK;
}

/* Copies the distances that are still needed, because the batch is about to become invalid. */
static void keep_distances(rd_attributor *a) {
    for (unsigned before = 1; before < RDI_TILES; before++) {
        rdi_tile *p = tile_before(a, before);
        if (p->n && p->distances != p->own_distances)
            memcpy(p->own_distances, p->distances, p->n * sizeof *p->distances);
        p->distances = p->own_distances;
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One in this many batches is timed. Reading the clock takes longer than counting a reference, and
 * batches have few references if there are many events. */
#define TIMED_ONE_IN 16

rd_status rd_attributor_feed(rd_attributor *a, const rd_attributed *batch) {
    RDI_NEED(a ? a->ctx : NULL, a, batch);
    RD_TRY(rdi_attributor_is_open(a));
    if (batch->n == 0)
        return RD_OK;
    RDI_NEED(a->ctx, batch->refs, batch->origin, batch->blocks, batch->distances);
    RDI_NEED(a->ctx, batch->refs->addr);
    if (batch->origin[batch->n - 1] >= batch->refs->n)
        return rdi_fail(a->ctx, RD_EINVAL,
                        "the origin of the last block is %u, but the batch has only %zu references",
                        (unsigned)batch->origin[batch->n - 1], batch->refs->n);
    bool timed = a->batches++ % TIMED_ONE_IN == 0;
    double start = timed ? now() : 0;
    rd_status status = feed_windows(a, batch);
    a->failed = status != RD_OK;
    keep_distances(a);
    if (timed) {
        a->seconds += now() - start;
        a->timed += batch->n;
    }
    return status;
}
