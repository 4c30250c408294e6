/* Counts references by calling context and site. See contexts.h. */
#include "attribution/contexts.h"

#include "attribution/call_frames.h"
#include "base/pages.h"

#include <string.h>

#define FIRST_BITS     12
#define FIRST_SMALL    4096
#define SMALL_MAX      (UINT64_C(1) << 21) /* numbers below this one are small */
#define MOVED_TOGETHER 64

static size_t table_bytes(unsigned bits) {
    return sizeof(rdi_context_counts) << bits;
}

/* Returns the key mask of a context; see rdi_context_key_of(). */
static uint64_t mask_of(const rdi_contexts *c, size_t context) {
    const rdi_call *call = &c->call[context];
    return rdi_context_key(call->counted, call->folded ? RDI_FOLDED : UINT32_MAX);
}

/* Makes room for all numbers below `room`, a power of two of at least FIRST_SMALL. */
static rd_status make_small(rdi_contexts *c, size_t room) {
    if (room <= c->small_room)
        return RD_OK;
    uint32_t *small = rdi_resize(c->ctx, c->small, room, sizeof *small);
    c->small = small ? small : c->small;
    uint64_t *masks = small ? rdi_resize(c->ctx, c->small_masks, room, sizeof *masks) : NULL;
    if (!masks)
        return RD_ENOMEM;
    c->small_masks = masks;
    memset(small + c->small_room, 0, (room - c->small_room) * sizeof *small);
    memset(masks + c->small_room, 0, (room - c->small_room) * sizeof *masks);
    masks[0] = mask_of(c, 0);
    c->small_room = room;
    return RD_OK;
}

rd_status rdi_contexts_init(rdi_contexts *c, rd_ctx *ctx, size_t max) {
    c->ctx = ctx;
    c->max = max < 16 ? 16 : max;
    c->n = 1;
    c->room = 64;
    c->bits = FIRST_BITS;
    c->slot = rdi_pages_alloc(ctx, table_bytes(c->bits));
    c->call = rdi_calloc(ctx, c->room, sizeof *c->call);
    RD_TRY(rdi_block_map_init(&c->numbers, ctx));
    return c->slot && c->call ? make_small(c, FIRST_SMALL) : RD_ENOMEM;
}

void rdi_contexts_fini(rdi_contexts *c) {
    if (!c->ctx)
        return;
    rdi_block_map_fini(&c->numbers);
    rdi_free(c->ctx, c->small);
    rdi_free(c->ctx, c->small_masks);
    rdi_free(c->ctx, c->call);
    rdi_pages_free(c->ctx, c->slot, table_bytes(c->bits));
    rdi_pages_free(c->ctx, c->spare, table_bytes(c->bits));
    rdi_free(c->ctx, c->large);
    *c = (rdi_contexts){0};
}

uint64_t rdi_contexts_bytes(const rdi_contexts *c) {
    return c->ctx ? c->room * sizeof *c->call + table_bytes(c->bits) * (c->spare ? 2 : 1) +
                        c->small_room * (sizeof *c->small + sizeof *c->small_masks) +
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
    size_t room = c->small_room;
    while (room <= number)
        room *= 2;
    RD_TRY(make_small(c, room));
    c->small[number] = (uint32_t)c->n;
    c->small_masks[number] = mask_of(c, c->n);
    return RD_OK;
}

rd_status rdi_contexts_define(rdi_contexts *c, const rd_event *event, uint32_t epoch) {
    size_t parent = rdi_contexts_index(c, event->size);
    if (parent == SIZE_MAX || c->n >= RDI_CONTEXTS_MAX - 1 ||
        rdi_contexts_index(c, event->address) != SIZE_MAX)
        return RD_OK;
    if (c->n == c->room) {
        rdi_call *grown = rdi_resize(c->ctx, c->call, 2 * c->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        c->call = grown;
        c->room *= 2;
    }
    const rdi_call *caller = &c->call[parent];
    c->call[c->n] = (rdi_call){.pc = event->pc,
                               .parent = (uint32_t)parent,
                               .epoch = epoch,
                               .counted = caller->folded ? caller->counted : (uint32_t)c->n,
                               .folded = caller->folded};
    RD_TRY(enter_number(c, event->address));
    c->n++;
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

/* ---- the table ---- */

/* Returns the slot of a key, or the empty slot where it belongs. */
static rdi_context_counts *find_slot(const rdi_contexts *c, uint64_t key) {
    size_t mask = ((size_t)1 << c->bits) - 1;
    for (size_t at = rdi_contexts_home(key, rdi_contexts_shift(c));; at = (at + 2) & mask) {
        rdi_context_counts *slot = &c->slot[at], *beside = &c->slot[at ^ 1];
        if (slot->key == key || beside->key == key)
            return slot->key == key ? slot : beside;
        if (!slot->key || !beside->key)
            return slot->key ? beside : slot;
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

/* Moves an entry of the previous table to the new one, where it has the key `key`. */
static rd_status move_entry(rdi_contexts *c, const rdi_context_counts *old, uint64_t key) {
    rdi_context_counts *slot = find_slot(c, key);
    if (RDI_LIKELY(key == old->key && !slot->key)) {
        *slot = *old;
        c->used++;
        return RD_OK;
    }
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

/* Moves n entries of the previous table, at most MOVED_TOGETHER, to the new one, and empties them. Each
 * step prefetches what the next one needs, because the table and the calls are larger than the
 * processor's caches. */
static rd_status move_entries(rdi_contexts *c, rdi_context_counts *const *old, size_t n) {
    uint64_t keys[MOVED_TOGETHER];
    for (size_t i = 0; i < n; i++)
        RDI_PREFETCH(&c->call[rdi_key_context(old[i]->key)]);
    for (size_t i = 0; i < n; i++) {
        uint64_t mask = mask_of(c, rdi_key_context(old[i]->key));
        keys[i] = rdi_context_key_of(mask, (uint32_t)old[i]->key);
        RDI_PREFETCH(&c->slot[rdi_contexts_home(keys[i], rdi_contexts_shift(c))]);
    }
    for (size_t i = 0; i < n; i++) {
        RD_TRY(move_entry(c, old[i], keys[i]));
        *old[i] = (rdi_context_counts){0};
    }
    return RD_OK;
}

static rd_status move_all(rdi_contexts *c, rdi_context_counts *old, size_t slots) {
    rdi_context_counts *some[MOVED_TOGETHER];
    size_t n = 0;
    for (size_t i = 0; i < slots; i++) {
        some[n] = &old[i];
        n += old[i].key != 0;
        if (n < MOVED_TOGETHER)
            continue;
        RD_TRY(move_entries(c, some, n));
        n = 0;
    }
    return move_entries(c, some, n);
}

/* Moves the entries to an empty table of 2^bits slots, where the pairs of folded contexts are combined,
 * and empties the previous table. If that table has the same size, it becomes the spare one. */
static rd_status rebuild(rdi_contexts *c, unsigned bits) {
    rdi_context_counts *old = c->slot, *made = c->spare;
    unsigned old_bits = c->bits;
    if (!made || bits != old_bits)
        made = rdi_pages_alloc(c->ctx, table_bytes(bits));
    if (!made)
        return RD_ENOMEM;
    c->slot = made;
    c->bits = bits;
    c->moves++;
    c->used = 0;
    rd_status status = move_all(c, old, (size_t)1 << old_bits);
    rdi_context_counts *useless = bits == old_bits ? NULL : c->spare;
    c->spare = bits == old_bits ? old : NULL;
    if (!c->spare)
        rdi_pages_free(c->ctx, old, table_bytes(old_bits));
    rdi_pages_free(c->ctx, useless, table_bytes(old_bits));
    return status;
}

/* Returns the weight of some counts. A reference that misses in a level counts 16 times, because misses
 * matter more to the user. */
static uint64_t weight_of(const uint64_t at[RDI_MISS_COUNTS]) {
    uint64_t missed = 0;
    for (unsigned k = 1; k < RDI_MISS_COUNTS; k++)
        missed += at[k];
    return at[0] + 16 * missed;
}

/* The weight of a context, which includes the weights of the contexts below it, and the number of its own
 * pairs. */
typedef struct fold_item {
    uint64_t weight;
    uint32_t pairs;
} fold_item;

/* Returns the number of bits of the weight of a context. Context 0 is the heaviest one. */
static unsigned width_of(const fold_item *items, size_t context) {
    return context ? rdi_bit_width(items[context].weight) : 65;
}

/* Sums the weights and the pairs of all contexts. items[-1] collects the empty slots, whose key and
 * counts are 0, so that the loop has no condition that processors predict badly. */
static void weigh(const rdi_contexts *c, fold_item *items) {
    for (size_t i = 0; i < (size_t)1 << c->bits; i++) {
        const rdi_context_counts *slot = &c->slot[i];
        uint64_t at[RDI_MISS_COUNTS];
        for (unsigned k = 0; k < RDI_MISS_COUNTS; k++)
            at[k] = slot->at[k];
        fold_item *item = &items[(ptrdiff_t)(slot->key >> 32) - 1];
        item->weight += weight_of(at);
        item->pairs++;
    }
    for (size_t i = 0; i < c->n_large; i++)
        items[rdi_key_context(c->large[i].key)].weight += weight_of(c->large[i].at);
    for (size_t i = c->n; i-- > 1;)
        items[c->call[i].parent].weight += items[i].weight;
}

/* Marks context i as folded or not. Its caller must have been marked. */
static void mark(rdi_contexts *c, size_t i, bool folded) {
    rdi_call *call = &c->call[i];
    const rdi_call *caller = &c->call[call->parent];
    call->folded = folded;
    if (folded)
        call->counted = caller->folded ? caller->counted : c->flat ? call->parent : (uint32_t)i;
}

/* Folds the lightest contexts, such that at most half of the pairs remain. The weight of a context
 * includes the weights of the contexts below it, so these are folded too. Weights are compared by
 * their number of bits. If too many pairs remain even when all contexts are folded, the contexts
 * that threads begin with are folded into context 0. */
static void fold_light(rdi_contexts *c, fold_item *items) {
    size_t pairs[66] = {0}, begin[66] = {0}, end[66] = {0};
    weigh(c, items);
    /* Context i is an outermost folded one if `most` is at least its width and below the width of
     * its parent. */
    for (size_t i = 0; i < c->n; i++) {
        pairs[width_of(items, i)] += items[i].pairs;
        begin[width_of(items, i)] += i && items[i].weight > 0;
        end[width_of(items, c->call[i].parent)] += i && items[i].weight > 0;
    }
    unsigned most = 0;
    size_t light = pairs[0], outermost = begin[0] - end[0];
    for (; most < 64 && c->used - light + outermost > c->used / 2; most++) {
        light += pairs[most + 1];
        outermost += begin[most + 1] - end[most + 1];
    }
    c->flat = c->flat || c->used - light + outermost > c->used / 2;
    for (size_t i = 1; i < c->n; i++) {
        bool is_light = items[i].weight && rdi_bit_width(items[i].weight) <= most;
        mark(c, i, c->call[i].folded || c->call[c->call[i].parent].folded || is_light);
    }
    for (size_t number = 1; number < c->small_room; number++)
        if (c->small[number])
            c->small_masks[number] = mask_of(c, c->small[number]);
}

/* Folds the lightest contexts. The items are in the spare table if there is room, because memory that was
 * never used is expensive. */
static rd_status fold(rdi_contexts *c) {
    size_t bytes = (c->n + 1) * sizeof(fold_item);
    if (!c->spare)
        c->spare = rdi_pages_alloc(c->ctx, table_bytes(c->bits));
    if (!c->spare)
        return RD_ENOMEM;
    bool fits = bytes <= table_bytes(c->bits);
    fold_item *items = fits ? (fold_item *)c->spare : rdi_calloc(c->ctx, 1, bytes);
    if (!items)
        return RD_ENOMEM;
    fold_light(c, items + 1);
    if (fits)
        memset(c->spare, 0, bytes);
    else
        rdi_free(c->ctx, items);
    return rebuild(c, c->bits);
}

static rd_status make_room(rdi_contexts *c) {
    if (c->used >= c->max)
        RD_TRY(fold(c));
    return 4 * c->used >= (size_t)3 << c->bits ? rebuild(c, c->bits + 1) : RD_OK;
}

/* Exchanges a slot with the lighter slot in the cache line of its home, unless that slot has more
 * references, so that keys with many references end up in their home lines. Only references without
 * a miss (at[0]) are compared. Returns the new slot of the key. All cache lines from a key's home
 * line to the line of the key are full, so the other key is still found after it has moved to a
 * later line. */
static rdi_context_counts *move_home(rdi_contexts *c, rdi_context_counts *slot) {
    size_t at = rdi_contexts_home(slot->key, rdi_contexts_shift(c));
    rdi_context_counts *home = &c->slot[at], *beside = &c->slot[at ^ 1];
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
        key = rdi_context_key_of(mask_of(c, rdi_key_context(key)), (uint32_t)key);
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

/* Returns the key mask of the context with this number, or 0 if it is not defined. */
static uint64_t find_mask(const rdi_contexts *c, uint64_t number) {
    size_t index = rdi_contexts_index(c, number & ~RD_CONTEXT_BELOW);
    if (index == SIZE_MAX)
        return 0;
    uint64_t mask = mask_of(c, index);
    return number & RD_CONTEXT_BELOW ? mask & RDI_CONTEXT_FIELD : mask;
}

void rdi_contexts_keys(const rdi_contexts *c, const uint64_t *numbers, size_t n,
                       const uint64_t *sites, unsigned shift, uint64_t *keys) {
    uint64_t mask = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || numbers[i] != numbers[i - 1])
            mask = find_mask(c, numbers[i]);
        keys[i] = rdi_context_key_of(mask, sites[i] >> shift);
    }
}
