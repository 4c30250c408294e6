/* Counts references by calling context and site. See contexts.h. */
#include "attribution/contexts.h"

#include "attribution/call_frames.h"
#include "base/pages.h"

#include <string.h>

#define FIRST_BITS 12
#define SMALL_MAX  (UINT64_C(1) << 21) /* numbers below this one are small */

static size_t table_bytes(unsigned bits) {
    return sizeof(rdi_context_counts) << bits;
}

rd_status rdi_contexts_init(rdi_contexts *c, rd_ctx *ctx, size_t max) {
    c->ctx = ctx;
    c->max = max < 16 ? 16 : max;
    c->n = 1;
    c->room = 64;
    c->last_key = rdi_context_key(0, 0);
    c->last_sites = UINT64_MAX;
    c->bits = FIRST_BITS;
    c->slot = rdi_pages_alloc(ctx, table_bytes(c->bits));
    c->call = rdi_calloc(ctx, c->room, sizeof *c->call);
    RD_TRY(rdi_block_map_init(&c->numbers, ctx));
    return c->slot && c->call ? RD_OK : RD_ENOMEM;
}

void rdi_contexts_fini(rdi_contexts *c) {
    if (!c->ctx)
        return;
    rdi_block_map_fini(&c->numbers);
    rdi_free(c->ctx, c->small);
    rdi_free(c->ctx, c->call);
    if (c->slot)
        rdi_pages_free(c->ctx, c->slot, table_bytes(c->bits));
    rdi_free(c->ctx, c->large);
    *c = (rdi_contexts){0};
}

uint64_t rdi_contexts_bytes(const rdi_contexts *c) {
    return c->ctx ? c->room * sizeof *c->call + table_bytes(c->bits) +
                        c->small_room * sizeof *c->small +
                        (c->numbers.mask + 1) * sizeof *c->numbers.slot
                  : 0;
}

/* ---- contexts ---- */

size_t rdi_contexts_index(const rdi_contexts *c, uint64_t number) {
    if (number == 0)
        return 0;
    if (number < SMALL_MAX)
        return number < c->small_room && c->small[number] ? c->small[number] : SIZE_MAX;
    const uint64_t *index = rdi_block_map_find(&c->numbers, number);
    return index ? (size_t)*index : SIZE_MAX;
}

/* Stores c->n, the index of the next context, under `number`. */
static rd_status enter_number(rdi_contexts *c, uint64_t number) {
    uint64_t old;
    if (number >= SMALL_MAX)
        return rdi_block_map_exchange(&c->numbers, number, c->n, &old);
    if (number >= c->small_room) {
        size_t room = c->small_room ? c->small_room : 4096;
        while (room <= number)
            room *= 2;
        uint32_t *grown = rdi_resize(c->ctx, c->small, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        memset(grown + c->small_room, 0, (room - c->small_room) * sizeof *grown);
        c->small = grown;
        c->small_room = room;
    }
    c->small[number] = (uint32_t)c->n;
    return RD_OK;
}

rd_status rdi_contexts_define(rdi_contexts *c, const rd_event *event, uint32_t epoch) {
    size_t parent = rdi_contexts_index(c, event->size);
    /* The limit of 32 bits is far above that of the recorders. */
    if (parent == SIZE_MAX || c->n >= UINT32_MAX - 1 ||
        rdi_contexts_index(c, event->address) != SIZE_MAX)
        return RD_OK;
    if (c->n == c->room) {
        rdi_call *grown = rdi_resize(c->ctx, c->call, 2 * c->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        c->call = grown;
        c->room *= 2;
    }
    RD_TRY(enter_number(c, event->address));
    c->call[c->n++] = (rdi_call){.pc = event->pc,
                                 .parent = (uint32_t)parent,
                                 .epoch = epoch,
                                 .folded = c->call[parent].folded};
    c->last = UINT64_MAX; /* the last look-up may have failed */
    return RD_OK;
}

rd_status rdi_contexts_own_call(rdi_contexts *c, const rdi_modules *modules, const rdi_own *own,
                                size_t context) {
    size_t at = context;
    bool found = false;
    for (; at && !c->call[at].own_known; at = c->call[at].parent) {
        RD_TRY(rdi_has_own_frame(modules, own, c->call[at].pc, c->call[at].epoch, &found));
        if (found)
            break;
    }
    uint32_t its = found ? (uint32_t)at : c->call[at].own;
    for (size_t i = context; i != at || found; i = c->call[i].parent) {
        c->call[i].own = its;
        c->call[i].own_known = true;
        if (i == at)
            break;
    }
    return RD_OK;
}

/* Returns the context under which the references of `context` are counted: the outermost folded
 * context around it, or `context` itself if it is not folded. The call of the outermost folded
 * context tells which function made it. Without that function, the references would be next to it
 * in the call tree instead of below it. */
static size_t counted_as(const rdi_contexts *c, size_t context) {
    if (!c->call[context].folded)
        return context;
    while (c->call[c->call[context].parent].folded)
        context = c->call[context].parent;
    return c->flat ? c->call[context].parent : context;
}

/* Returns the key under which the pair of `context` and `site` is counted. */
static uint64_t counted_key(const rdi_contexts *c, size_t context, uint32_t site) {
    return rdi_context_key(counted_as(c, context), c->call[context].folded ? RDI_FOLDED : site);
}

/* ---- the table ---- */

/* Returns the slot of a key, or the empty slot where it belongs. */
static rdi_context_counts *find_slot(const rdi_contexts *c, uint64_t key) {
    size_t mask = ((size_t)1 << c->bits) - 1;
    for (size_t at = (size_t)(rdi_contexts_home(c, key) - c->slot);; at = (at + 2) & mask) {
        rdi_context_counts *slot = &c->slot[at], *beside = &c->slot[at ^ 1];
        if (slot->key == key || !slot->key)
            return slot;
        if (beside->key == key || !beside->key)
            return beside;
    }
}

static rdi_large_counts *find_large(const rdi_contexts *c, uint64_t key) {
    for (size_t i = 0; i < c->n_large; i++)
        if (c->large[i].key == key)
            return &c->large[i];
    return NULL;
}

/* Adds to the large counters of a key. */
static rd_status add_large(rdi_contexts *c, uint64_t key, const uint64_t at[RDI_MISS_COUNTS]) {
    rdi_large_counts *large = find_large(c, key);
    if (!large) {
        while (c->n_large >= c->large_room) {
            rdi_large_counts *grown = rdi_grow(c->ctx, c->large, &c->large_room, sizeof *grown);
            if (!grown)
                return RD_ENOMEM;
            c->large = grown;
        }
        large = &c->large[c->n_large++];
        *large = (rdi_large_counts){.key = key};
    }
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        large->at[k] += at[k];
    return RD_OK;
}

/* Adds counts to a slot, or to its large counters if they do not fit. */
static rd_status add_counts(rdi_contexts *c, rdi_context_counts *slot,
                            const uint64_t at[RDI_MISS_COUNTS]) {
    bool fits = true;
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        fits = fits && at[k] <= UINT32_MAX - slot->at[k];
    if (!fits)
        return add_large(c, slot->key, at);
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        slot->at[k] += (uint32_t)at[k];
    return RD_OK;
}

void rdi_contexts_read(const rdi_contexts *c, const rdi_context_counts *slot,
                       uint64_t at[RDI_MISS_COUNTS]) {
    const rdi_large_counts *large = c->n_large ? find_large(c, slot->key) : NULL;
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        at[k] = slot->at[k] + (large ? large->at[k] : 0);
}

/* Adds an entry of the previous table to the new one. */
static rd_status move_entry(rdi_contexts *c, const rdi_context_counts *old) {
    uint64_t key = counted_key(c, rdi_key_context(old->key), (uint32_t)old->key);
    rdi_context_counts *slot = find_slot(c, key);
    if (!slot->key) {
        slot->key = key;
        c->used++;
    }
    uint64_t at[RDI_MISS_COUNTS];
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        at[k] = old->at[k];
    c->folded += key != old->key && (uint32_t)old->key != RDI_FOLDED;
    RD_TRY(add_counts(c, slot, at));
    rdi_large_counts *large = key != old->key && c->n_large ? find_large(c, old->key) : NULL;
    if (!large)
        return RD_OK;
    rdi_large_counts moved = *large;
    *large = c->large[--c->n_large];
    return add_large(c, key, moved.at);
}

/* Makes a new table with 2^bits slots, where the pairs of folded contexts are combined. */
static rd_status rebuild(rdi_contexts *c, unsigned bits) {
    rdi_context_counts *old = c->slot;
    unsigned old_bits = c->bits;
    rdi_context_counts *made = rdi_pages_alloc(c->ctx, table_bytes(bits));
    if (!made)
        return RD_ENOMEM;
    c->slot = made;
    c->bits = bits;
    c->used = 0;
    rd_status status = RD_OK;
    for (size_t i = 0; i < (size_t)1 << old_bits && status == RD_OK; i++)
        if (old[i].key)
            status = move_entry(c, &old[i]);
    rdi_pages_free(c->ctx, old, table_bytes(old_bits));
    return status;
}

/* Returns the weight of a slot. A reference that misses in a level counts 16 times, because misses
 * matter more to the user. */
static uint64_t weight_of(const rdi_contexts *c, const rdi_context_counts *slot) {
    uint64_t at[RDI_MISS_COUNTS], weight = 0;
    rdi_contexts_read(c, slot, at);
    for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
        weight += at[k] << (k ? 4 : 0);
    return weight;
}

/* Returns the number of bits of the weight of a context. Context 0 is the heaviest one. */
static unsigned width_of(const uint64_t *weights, size_t context) {
    return context ? rdi_bit_width(weights[context]) : 65;
}

/* Folds the lightest contexts, such that at most half of the pairs remain. The weight of a context
 * includes the weights of the contexts below it, so these are folded too. Weights are compared by
 * their number of bits. If too many pairs remain even when all contexts are folded, the contexts
 * that threads begin with are folded into context 0. */
static void fold_light(rdi_contexts *c, uint64_t *weights) {
    size_t n = (size_t)1 << c->bits, pairs[66] = {0}, begin[66] = {0}, end[66] = {0};
    for (size_t i = 0; i < n; i++)
        if (c->slot[i].key)
            weights[rdi_key_context(c->slot[i].key)] += weight_of(c, &c->slot[i]);
    for (size_t i = c->n; i-- > 1;)
        weights[c->call[i].parent] += weights[i];
    for (size_t i = 0; i < n; i++)
        if (c->slot[i].key)
            pairs[width_of(weights, rdi_key_context(c->slot[i].key))]++;
    /* Context i is an outermost folded one if `most` is at least its width and below the width of
     * its parent. */
    for (size_t i = 1; i < c->n; i++) {
        begin[width_of(weights, i)] += weights[i] > 0;
        end[width_of(weights, c->call[i].parent)] += weights[i] > 0;
    }
    unsigned most = 0;
    size_t light = pairs[0], outermost = begin[0] - end[0];
    for (; most < 64 && c->used - light + outermost > c->used / 2; most++) {
        light += pairs[most + 1];
        outermost += begin[most + 1] - end[most + 1];
    }
    c->flat = c->flat || c->used - light + outermost > c->used / 2;
    for (size_t i = 1; i < c->n; i++)
        if (c->call[c->call[i].parent].folded || (weights[i] && rdi_bit_width(weights[i]) <= most))
            c->call[i].folded = true;
}

static rd_status fold(rdi_contexts *c) {
    uint64_t *weights = rdi_calloc(c->ctx, c->n, sizeof *weights);
    if (!weights)
        return RD_ENOMEM;
    fold_light(c, weights);
    rdi_free(c->ctx, weights);
    c->last = UINT64_MAX; /* the context that was looked up last may be folded now */
    return rebuild(c, c->bits);
}

static rd_status make_room(rdi_contexts *c) {
    if (c->used >= c->max)
        RD_TRY(fold(c));
    return 2 * c->used >= (size_t)1 << c->bits ? rebuild(c, c->bits + 1) : RD_OK;
}

/* Exchanges a slot with the lighter slot in the cache line of its home, so that keys with many
 * references end up in their home lines. All cache lines from a key's home line to the line of the
 * key are full, so the other key is still found after it has moved to a later line. */
static rdi_context_counts *move_home(rdi_contexts *c, rdi_context_counts *slot) {
    rdi_context_counts *home = rdi_contexts_home(c, slot->key);
    rdi_context_counts *beside = rdi_contexts_beside(c, home);
    rdi_context_counts *lighter = beside->at[0] < home->at[0] ? beside : home;
    if (slot == home || slot == beside || slot->at[0] < lighter->at[0])
        return slot;
    rdi_context_counts moved = *lighter;
    *lighter = *slot;
    *slot = moved;
    return lighter;
}

rd_status rdi_contexts_count_slowly(rdi_contexts *c, uint64_t key, unsigned missed) {
    if (!key)
        return RD_OK;
    rdi_context_counts *slot = find_slot(c, key);
    if (slot->key)
        slot = move_home(c, slot);
    if (!slot->key) {
        RD_TRY(make_room(c));
        key = counted_key(c, rdi_key_context(key), (uint32_t)key);
        slot = find_slot(c, key);
        c->used += !slot->key;
        slot->key = key;
    }
    if (slot->at[missed] < UINT32_MAX) {
        slot->at[missed]++;
        return RD_OK;
    }
    uint64_t one[RDI_MISS_COUNTS] = {0};
    one[missed] = 1;
    return add_large(c, key, one);
}

/* ---- references ---- */

static void look_up(rdi_contexts *c, uint64_t number) {
    size_t index = rdi_contexts_index(c, number & ~RD_CONTEXT_BELOW);
    c->last = number;
    c->last_key = c->last_sites = 0;
    if (index == SIZE_MAX)
        return;
    c->last_key = rdi_context_key(counted_as(c, index), RDI_FOLDED);
    c->last_sites = c->call[index].folded || number & RD_CONTEXT_BELOW ? 0 : UINT64_MAX;
}

void rdi_contexts_prepare(rdi_contexts *c, const uint64_t *numbers, const uint32_t *origin,
                          size_t n, const uint64_t *sites, unsigned shift, uint64_t *keys) {
    c->seen = true;
    uint64_t last = c->last, last_key = c->last_key, last_sites = c->last_sites;
    const rdi_context_counts *slots = c->slot;
    const unsigned home_shift = 64 - c->bits;
    for (size_t i = 0; i < n; i++) {
        uint64_t number = numbers[origin[i]];
        if (RDI_UNLIKELY(number != last)) {
            look_up(c, number);
            last = number;
            last_key = c->last_key;
            last_sites = c->last_sites;
        }
        keys[i] = last_key | (sites[i] >> shift & last_sites);
        RDI_PREFETCH(&slots[keys[i] * RDI_CONTEXTS_HASH >> home_shift]);
    }
}
