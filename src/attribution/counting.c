/* Counts every reference where it belongs: one look-up of its block, one of its tuple, and a count
 * in the present window. See tuples.h for how everything else follows.
 *
 * References are taken in parts, in three passes over each, so that no pass waits for what another
 * looks up:
 *
 * - prepare: sites, words and places in tables, for which a reference needs no other: vector code
 * - resolve: who touched their blocks before, and whose data they are; with that the tuples' keys
 * - count: in tuples and the window
 *
 * What a pass needs is fetched while another one is at work on another part, a reference at a time,
 * so that the memory is never asked for more than it has under way: entries of blocks while the
 * part before the last is counted, tuples while the next part is resolved. So two parts are always
 * under way, also from one batch to the next: between events batches are short.
 */
#include "attribution/attributor.h"

#include "reusedist/engine.h"

#include <string.h>
#include <time.h>

#define PASS static __attribute__((noinline)) /* the loops of all together lack registers */

/* ---- prepare ---- */

/* The last address of a reference. */
static uint64_t end_of(const rd_refs *refs, uint32_t i) {
    return refs->addr[i] + (refs->size && refs->size[i] ? refs->size[i] - 1 : 0);
}

/* Whether block i of the part is the only one of its reference. */
static bool is_whole(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const rdi_part *p, size_t i) {
    uint64_t first = refs->addr[origin[i]], last = end_of(refs, origin[i]);
    return first >> a->block_bits == p->blocks[i] &&
           (a->words_per_block == 1 || last >> a->block_bits == p->blocks[i]);
}

/* Whether the part, of a batch from which none was dropped, is of references in succession of which
 * none is split. */
static bool is_plain(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const rdi_part *p) {
    return origin[p->n - 1] - origin[0] == p->n - 1 && is_whole(a, refs, origin, p, 0) &&
           is_whole(a, refs, origin, p, p->n - 1);
}

PASS rd_status prepare_sites(rd_attributor *a, const uint64_t *pc, rdi_part *p) {
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

/* Program counters of the part, in order: those of the references if they are in succession, else
 * in `room`. */
static const uint64_t *program_counters(const rd_refs *refs, const uint32_t *origin, bool plain,
                                        size_t n, uint64_t *room) {
    if (plain && refs->pc)
        return refs->pc + origin[0];
    for (size_t i = 0; i < n; i++)
        room[i] = refs->pc ? refs->pc[origin[i]] : 0;
    return room;
}

/* `gapless`: all references are in the batch, from its first to its last. */
static rd_status prepare(rd_attributor *a, const rd_attributed *batch, bool gapless, size_t from,
                         rdi_part *p) {
    const rd_refs *refs = batch->refs;
    const uint32_t *origin = batch->origin + from;
    p->blocks = batch->blocks + from;
    p->distances = batch->distances + from;
    bool plain = gapless && is_plain(a, refs, origin, p);
    RD_TRY(prepare_sites(a, program_counters(refs, origin, plain, p->n, p->own_pc), p));
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

/* Region of an address in the block of `touch`, if that has several and it was looked up before. */
static inline bool recall_region(rd_attributor *a, const rdi_touch *touch, uint64_t address,
                                 rdi_tuple_key *out) {
    const rdi_region_recall *recall = rdi_regions_recall(&a->regions, address);
    *out = rdi_region_in_key(recall->region);
    return touch->version == recall->version && recall->address == address && touch->version;
}

/* Region of an address in the block of `touch`, which remembers it if it has no others. */
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

/* The sets end and begin anew whose levels miss at this distance. An infinite one has no use,
 * whatever is known of the block. */
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

/* The entry of reference i's block if it is not where it belongs, or not there at all. */
static rd_status find_touch(rd_attributor *a, rdi_part *p, size_t i) {
    const rdi_touch *slots = a->touched.young.slot;
    rdi_touch *found = NULL;
    RD_TRY(rdi_touched_find(&a->touched, p->blocks[i], &found));
    if (a->touched.young.slot != slots) /* another table */
        a->passes->touches(&a->touched.young, p->blocks, p->n, p->touch);
    p->touch[i] = found;
    return RD_OK;
}

/* Reference i, when its entry is not the one of its block, or the region of the block is not known,
 * no longer, or not the same everywhere. */
static __attribute__((noinline)) rd_status look_closer(rd_attributor *a, rdi_part *p, size_t i,
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

/* All of a part. Meanwhile the tuples of the one before are fetched. */
PASS rd_status resolve(rd_attributor *a, rdi_part *p, const rdi_part *before) {
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
            region |= its; /* one of the two is 0 */
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

/* A tuple that is not where it belongs, or not there at all. */
static __attribute__((noinline)) rd_status find_tuple(rd_attributor *a, rdi_part *p, size_t i) {
    const rdi_tuple *slots = a->tuples.slot;
    RD_TRY(rdi_tuples_find(&a->tuples, p->key[i], &p->tuple[i]));
    if (a->tuples.slot != slots) /* another table */
        a->passes->tuples(&a->tuples, p->key + i + 1, p->n - i - 1, p->tuple + i + 1);
    return RD_OK;
}

/* All of a part, which is in the window. Meanwhile the entries of `next` are fetched. */
PASS rd_status count(rd_attributor *a, rdi_part *p, rdi_counts *window, const rdi_part *next) {
    const uint64_t *distances = p->distances;
    if (RDI_UNLIKELY(p->slots != a->tuples.slot)) /* another table since then */
        a->passes->tuples(&a->tuples, p->key, p->n, p->tuple);
    uint64_t sum = 0; /* of those that tuples have small counters for */
    for (size_t i = 0, n = p->n; i < n; i++) {
        RDI_PREFETCH(next->touch[i]);
        uint64_t distance = distances[i];
        unsigned step = step_of(a, distance);
        if (RDI_UNLIKELY(p->tuple[i]->key != p->key[i]))
            RD_TRY(find_tuple(a, p, i));
        rdi_tuple *tuple = p->tuple[i];
        window->at[step]++;
        if (RDI_UNLIKELY(!rdi_tuple_count(tuple, step, distance)))
            RD_TRY(rdi_tuple_count_large(&a->tuples, tuple, step, distance));
        if (RDI_LIKELY(step < RDI_SMALL_STEPS))
            sum += distance;
        else
            window->sum += distance == RD_COLD ? 0 : distance;
    }
    window->sum += sum;
    p->n = 0;
    return RD_OK;
}

/* The part that is next, or so many before it. */
static rdi_part *part_before(rd_attributor *a, unsigned before) {
    return &a->parts[(a->turn + RDI_PARTS - before) % RDI_PARTS];
}

/* References of one window. */
static rd_status feed_window(rd_attributor *a, const rd_attributed *batch, bool gapless,
                             size_t from, size_t to, rdi_counts *window) {
    for (size_t at = from; at < to; at += RDI_PART) {
        rdi_part *p = part_before(a, 0);
        p->n = to - at < RDI_PART ? to - at : RDI_PART;
        RD_TRY(prepare(a, batch, gapless, at, p));
        RD_TRY(count(a, part_before(a, 2), window, p));
        RD_TRY(resolve(a, p, part_before(a, 1)));
        a->turn = (a->turn + 1) % RDI_PARTS;
    }
    return RD_OK;
}

rd_status rdi_count_rest(rd_attributor *a) {
    if (a->references == 0)
        return RD_OK;
    rdi_counts *window = &a->windows.row[a->windows.n - 1];
    for (unsigned before = RDI_PARTS - 1; before > 0; before--)
        RD_TRY(count(a, part_before(a, before), window, part_before(a, 0)));
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

/* The batch goes away. */
static void keep_distances(rd_attributor *a) {
    for (unsigned before = 1; before < RDI_PARTS; before++) {
        rdi_part *p = part_before(a, before);
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

/* Of so many batches one is timed: between events they are so short that looking at the clock costs
 * more than a reference. */
#define TIMED_ONE_IN 16

rd_status rd_attributor_feed(rd_attributor *a, const rd_attributed *batch) {
    RD_TRY(rdi_attributor_is_open(a));
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
