/* Counts every reference where it belongs: one look-up of its block, one of its tuple, and a count
 * in the present window. See tuples.h for how everything else follows.
 *
 * References are taken in parts. What is known of them beforehand is prepared in plain loops, which
 * also fetch the entries of their blocks ahead. Then each is counted, nearly always by the short
 * way: the block was touched before, its region is known, and the tuple is the one last counted at
 * this site.
 */
#include "attribution/attributor.h"

#include "reusedist/engine.h"

#include <time.h>

#define PART       128
#define NEAR_SLOTS 2048 /* of a table of blocks that a processor keeps near */

typedef struct part {
    size_t n;
    const uint64_t *blocks, *distances;
    const uint64_t *address; /* the first in the block */
    uint32_t site[PART];
    uint8_t words[PART];        /* of the block, those touched: a bit each */
    uint64_t own_address[PART]; /* where `address` points to if the references do not have it */
} part;

/* ---- what is known beforehand ---- */

/* All words from the one of `first` to that of `last`, addresses in the block. */
static inline uint8_t words_between(const rd_attributor *a, uint64_t first, uint64_t last) {
    unsigned from = (unsigned)(first >> a->word_bits) & (a->words_per_block - 1);
    unsigned to = (unsigned)(last >> a->word_bits) & (a->words_per_block - 1);
    return a->word_masks[from * 8 + to];
}

/* Whether block i of the part is the only one of its reference. */
static bool is_whole(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const part *p, size_t i) {
    uint64_t first = refs->addr[origin[i]];
    uint64_t last = refs->size ? first + (refs->size[origin[i]] - 1) : first;
    return first >> a->block_bits == p->blocks[i] &&
           (a->words_per_block == 1 || last >> a->block_bits == p->blocks[i]);
}

/* Whether the part is of references in succession, neither dropped nor split. */
static bool is_plain(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                     const part *p) {
    return origin[p->n - 1] - origin[0] == p->n - 1 && is_whole(a, refs, origin, p, 0) &&
           is_whole(a, refs, origin, p, p->n - 1);
}

static void prepare_plain(const rd_attributor *a, const rd_refs *refs, size_t first, part *p) {
    const uint64_t *address = refs->addr + first;
    const uint32_t *size = refs->size ? refs->size + first : NULL;
    p->address = address;
    for (size_t i = 0; i < p->n; i++)
        p->words[i] = words_between(a, address[i], address[i] + (size ? size[i] - 1 : 0));
}

/* Of any: what lies in their blocks. */
static void prepare_split(const rd_attributor *a, const rd_refs *refs, const uint32_t *origin,
                          part *p) {
    uint64_t within = (UINT64_C(1) << a->block_bits) - 1;
    for (size_t i = 0; i < p->n; i++) {
        uint64_t start = p->blocks[i] << a->block_bits, end = start + within;
        uint64_t first = refs->addr[origin[i]];
        uint64_t last = refs->size ? first + (refs->size[origin[i]] - 1) : first;
        p->own_address[i] = first > start ? first : start;
        p->words[i] = words_between(a, p->own_address[i], last < end ? last : end);
    }
    p->address = p->own_address;
}

/* The entries of all blocks, unless they are near anyway. */
static void fetch_ahead(const rdi_touch_table *t, const part *p) {
    if (t->mask < NEAR_SLOTS)
        return;
    for (size_t i = 0; i < p->n; i++)
        RDI_PREFETCH(&t->slot[rdi_touched_home(t, p->blocks[i])]);
}

static rd_status prepare(rd_attributor *a, const rd_attributed *batch, size_t from, part *p) {
    const uint32_t *origin = batch->origin + from;
    const uint64_t *pc = batch->refs->pc;
    p->blocks = batch->blocks + from;
    p->distances = batch->distances + from;
    fetch_ahead(&a->touched.young, p);
    for (size_t i = 0; i < p->n; i++)
        RD_TRY(rdi_site_of(&a->sites, pc ? pc[origin[i]] : 0, &p->site[i]));
    if (is_plain(a, batch->refs, origin, p))
        prepare_plain(a, batch->refs, origin[0], p);
    else
        prepare_split(a, batch->refs, origin, p);
    return RD_OK;
}

/* ---- counting ---- */

/* The sets that end and begin anew because their levels missed, the first `missed` of them. */
static void renew_sets(rd_attributor *a, rdi_touch *touch, unsigned missed) {
    rdi_end_sets(a, touch, missed);
    for (unsigned set = 0; set < missed; set++)
        a->fetched[set]++;
    touch->state &= a->left_bits[missed];
}

/* Whether the site has last looked the region of this very address up: one of several in a block.
 */
static inline bool is_known_here(const rdi_site *site, uint64_t address, uint32_t version) {
    return site->version == version && site->from <= address && address <= site->to;
}

/* Region of an address in the block of `touch`; *held is what the block has to remember. */
static rd_status find_region(rd_attributor *a, rdi_site *site, const rdi_touch *touch,
                             uint64_t address, uint32_t version, uint32_t *region, uint32_t *held) {
    bool current = !rdi_touch_is_free(touch) && (touch->state & RDI_TOUCH_VERSION) == version;
    if (current && is_known_here(site, address, version)) {
        *region = site->region;
        *held = touch->region;
        return RD_OK;
    }
    rdi_region_range range;
    RD_TRY(rdi_regions_find(&a->regions, address, a->sites.epoch, &range));
    uint64_t start = touch->block << a->block_bits;
    uint64_t end = start + ((UINT64_C(1) << a->block_bits) - 1);
    site->from = range.from > start ? range.from : start; /* a version is that of a page */
    site->to = range.to < end ? range.to : end;
    site->version = version;
    site->region = *region = range.region;
    *held = rdi_regions_is_alone(&a->regions, &range, start, end) ? range.region : RDI_MIXED;
    return RD_OK;
}

/* Another use or region than the last time at this site. */
static rd_status find_tuple(rd_attributor *a, uint32_t number, uint64_t key, rdi_tuple **out) {
    uint64_t foldings = a->tuples.foldings;
    rdi_tuple_key whole = {(uint32_t)(key >> 32), number, (uint32_t)key};
    RD_TRY(rdi_tuples_find(&a->tuples, whole, out));
    if (a->tuples.foldings != foldings)
        rdi_sites_forget_tuples(&a->sites);
    rdi_site *site = &a->sites.site[number];
    site->older = site->last;
    site->older_key = site->last_key;
    site->last = *out;
    site->last_key = key;
    return RD_OK;
}

/* The one before is the last again. */
static inline rdi_tuple *swap_tuples(rdi_site *site) {
    rdi_tuple *last = site->last;
    uint64_t key = site->last_key;
    site->last = site->older;
    site->last_key = site->older_key;
    site->older = last;
    site->older_key = key;
    return site->last;
}

/* Use and region in one number. */
static inline uint64_t key_of(uint32_t use, uint32_t region) {
    return (uint64_t)use << 32 | region;
}

static inline unsigned step_of(const rd_attributor *a, uint64_t distance) {
    return distance < RDI_COUNT(a->near_steps) ? a->near_steps[distance]
                                               : rdi_step_of(&a->steps, distance);
}

/* Reference i, when its distance is infinite, or the region of the block is not known, no longer,
 * or not the same everywhere. */
static rd_status count_rare(rd_attributor *a, const part *p, size_t i, rdi_touch *touch,
                            rdi_counts *window, uint32_t version) {
    uint64_t distance = p->distances[i];
    uint32_t number = p->site[i], region = 0, held = 0;
    bool infinite = distance == RD_COLD;
    rdi_tuple *tuple;
    if (a->regions.known)
        RD_TRY(
            find_region(a, &a->sites.site[number], touch, p->address[i], version, &region, &held));
    uint64_t key = key_of(infinite ? RDI_FIRST : touch->site, region);
    tuple = a->sites.site[number].last;
    if (a->sites.site[number].last_key != key)
        RD_TRY(find_tuple(a, number, key, &tuple));
    unsigned step = step_of(a, distance), missed = a->steps.missed[step];
    tuple->counts.at[step]++;
    tuple->counts.sum += infinite ? 0 : distance;
    window->at[step]++;
    window->sum += infinite ? 0 : distance;
    if (missed || infinite)
        renew_sets(a, touch, infinite ? RDI_WORD_SETS : missed);
    touch->state = (touch->state & ~RDI_TOUCH_VERSION) | version | p->words[i] * RDI_WORDS_IN_ALL;
    touch->region = held;
    touch->site = number;
    return RD_OK;
}

/* What does not change while a part is counted, but for what is said. */
typedef struct counting {
    const rdi_site *sites;
    rdi_touch *slots; /* of the table of blocks, which may grow ... */
    unsigned shift;   /* ... and then has another shift */
    const uint32_t *versions;
    uint32_t all_versions;
} counting;

static counting start_counting(const rd_attributor *a) {
    return (counting){a->sites.site, a->touched.young.slot, a->touched.young.shift,
                      a->regions.version, a->regions.all};
}

/* All of a part, which is in one window. */
static rd_status count_part(rd_attributor *a, const part *p, rdi_counts *window) {
    counting c = start_counting(a);
    rdi_u128 sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        uint64_t block = p->blocks[i], distance = p->distances[i];
        rdi_touch *touch = &c.slots[rdi_touched_hash(block) >> c.shift];
        if (RDI_UNLIKELY(touch->block != block || rdi_touch_is_free(touch))) {
            RD_TRY(rdi_touched_find(&a->touched, block, &touch));
            c = start_counting(a);
        }
        uint32_t version =
            (c.all_versions + c.versions[rdi_regions_slot(p->address[i])]) & RDI_TOUCH_VERSION;
        uint32_t number = p->site[i], region = touch->region;
        const rdi_site *site = &c.sites[number];
        if (region == RDI_MIXED && is_known_here(site, p->address[i], version))
            region = site->region;
        if (RDI_UNLIKELY(distance == RD_COLD || region == RDI_MIXED ||
                         (touch->state & RDI_TOUCH_VERSION) != version)) {
            RD_TRY(count_rare(a, p, i, touch, window, version));
            continue;
        }
        uint64_t key = key_of(touch->site, region);
        rdi_tuple *tuple = site->last;
        if (RDI_UNLIKELY(site->last_key != key)) {
            if (site->older_key == key)
                tuple = swap_tuples(&a->sites.site[number]);
            else
                RD_TRY(find_tuple(a, number, key, &tuple));
        }
        unsigned step = step_of(a, distance), missed = a->steps.missed[step];
        tuple->counts.at[step]++;
        tuple->counts.sum += distance;
        window->at[step]++;
        sum += distance;
        if (missed)
            renew_sets(a, touch, missed);
        touch->state |= p->words[i] * RDI_WORDS_IN_ALL;
        touch->site = number;
    }
    window->sum += sum;
    return RD_OK;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

rd_status rd_attributor_feed(rd_attributor *a, const rd_attributed *batch) {
    if (a->finished)
        return rdi_fail(a->ctx, RD_ESTATE, "the attribution is finished");
    double start = now();
    part p;
    for (size_t at = 0; at < batch->n; at += p.n) {
        rdi_counts *window = rdi_windows_now(&a->windows);
        p.n = batch->n - at < PART ? batch->n - at : PART;
        p.n = p.n < a->windows.left ? p.n : (size_t)a->windows.left;
        RD_TRY(prepare(a, batch, at, &p));
        RD_TRY(count_part(a, &p, window));
        a->windows.left -= p.n;
        a->references += p.n;
    }
    a->seconds += now() - start;
    return RD_OK;
}
