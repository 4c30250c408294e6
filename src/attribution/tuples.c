/* Implements the counters per use, reuse and region. See tuples.h. */
#include "attribution/tuples.h"

#include "profile/hist.h"
#include "reusedist/engine.h"

#include <string.h>

#define FIRST_SLOTS  256
#define KEPT_AT_ONCE 64 /* number of slots that are moved at a time; it divides FIRST_SLOTS */
#define REST_SEGMENT 64

/* Some numbers are reserved for first touches, mixed regions and RDI_OTHERS. */
_Static_assert(RD_SITES_MAX + 4 < 1 << RDI_SITE_BITS, "a key must hold any site");
_Static_assert(RD_REGIONS_MAX + 4 < 1 << RDI_REGION_BITS, "a key must hold any region");
_Static_assert(sizeof(rdi_tuple) == 64, "a tuple must fill one cache line");
_Static_assert(RDI_NEAR_STEPS % 4 == 0 && RDI_SMALL_STEPS % 4 == 0,
               "steps must come in groups of four");
/* Small steps have distances below 2^RDI_SMALL_STEPS, each small counter holds less than 2^16, and
 * there are fewer than 2^6 small counters. */
_Static_assert(RDI_SMALL_STEPS + 16 + 6 <= 64, "the sum of small distances must fit in 64 bits");

/* Returns the weight of a reference at `step`. Misses weigh more, because they matter more to the
 * user. */
static uint64_t weight_of(const rdi_tuples *t, unsigned step) {
    return 1 + 8 * (uint64_t)t->steps->missed[step];
}

rd_status rdi_tuples_init(rdi_tuples *t, rd_ctx *ctx, const rdi_steps *steps, size_t max) {
    *t = (rdi_tuples){.ctx = ctx,
                      .steps = steps,
                      .max = max,
                      .slots = FIRST_SLOTS,
                      .shift = 65 - rdi_bit_width(FIRST_SLOTS)};
    for (unsigned step = 0; step < RDI_SMALL_STEPS; step++)
        t->small_weight[step] = (uint8_t)weight_of(t, step);
    t->slot = rdi_pages_alloc(ctx, FIRST_SLOTS * sizeof *t->slot);
    return t->slot ? RD_OK : RD_ENOMEM;
}

void rdi_tuples_fini(rdi_tuples *t) {
    if (!t->ctx)
        return;
    if (t->slot)
        rdi_pages_free(t->ctx, t->slot, t->slots * sizeof *t->slot);
    if (t->spare)
        rdi_pages_free(t->ctx, t->spare, t->slots * sizeof *t->spare);
    for (size_t i = 0; i < t->n_segments; i++)
        rdi_free(t->ctx, t->segments[i]);
    rdi_free(t->ctx, t->segments);
    rdi_free(t->ctx, t->weights);
    *t = (rdi_tuples){0};
}

size_t rdi_tuples_bytes(const rdi_tuples *t) {
    size_t rest = sizeof **t->segments + sizeof *t->weights;
    return t->slots * sizeof *t->slot * (t->spare ? 2 : 1) + t->n_segments * REST_SEGMENT * rest;
}

const rdi_tuple *rdi_tuples_next(const rdi_tuples *t, const rdi_tuple *tuple) {
    const rdi_tuple *end = t->slot + t->slots;
    for (tuple = tuple ? tuple + 1 : t->slot; tuple < end; tuple++)
        if (tuple->key)
            return tuple;
    return NULL;
}

/* ---- large counters ---- */

static rdi_counts *rest_at(const rdi_tuples *t, uint32_t number) {
    return &t->segments[(number - 1) / REST_SEGMENT][(number - 1) % REST_SEGMENT];
}

static rd_status add_segment(rdi_tuples *t) {
    size_t n = t->n_segments + 1;
    uint64_t *weights = rdi_resize(t->ctx, t->weights, n * REST_SEGMENT, sizeof *weights);
    if (!weights)
        return RD_ENOMEM;
    t->weights = weights;
    rdi_counts **segments = rdi_resize(t->ctx, t->segments, n, sizeof *segments);
    if (!segments)
        return RD_ENOMEM;
    t->segments = segments;
    if (!(segments[t->n_segments] = rdi_alloc(t->ctx, REST_SEGMENT, sizeof **segments)))
        return RD_ENOMEM;
    t->n_segments++;
    return RD_OK;
}

/* Gives the tuple large counters if it has none. */
static rd_status need_rest(rdi_tuples *t, rdi_tuple *tuple) {
    if (tuple->rest)
        return RD_OK;
    if (t->free_rest) {
        tuple->rest = t->free_rest;
        t->free_rest = (uint32_t)t->weights[tuple->rest - 1];
    } else {
        if (t->n_rests == t->n_segments * REST_SEGMENT)
            RD_TRY(add_segment(t));
        tuple->rest = ++t->n_rests;
    }
    *rest_at(t, tuple->rest) = (rdi_counts){0};
    t->weights[tuple->rest - 1] = 0;
    return RD_OK;
}

static void give_rest(rdi_tuples *t, uint32_t number) {
    t->weights[number - 1] = t->free_rest;
    t->free_rest = number;
}

static void add_large(rdi_tuples *t, uint32_t number, unsigned step, uint64_t n) {
    rest_at(t, number)->at[step] += n;
    t->weights[number - 1] += n * weight_of(t, step);
}

rd_status rdi_tuple_count_large(rdi_tuples *t, rdi_tuple *tuple, unsigned step, uint64_t distance) {
    RD_TRY(need_rest(t, tuple));
    rdi_counts *rest = rest_at(t, tuple->rest);
    add_large(t, tuple->rest, step, 1);
    rest->sum += distance == RD_COLD ? 0 : distance;
    if (step < RDI_SMALL_STEPS) {
        add_large(t, tuple->rest, step, rdi_tuple_small(tuple, step));
        if (step < RDI_NEAR_STEPS)
            tuple->near[step] = 0;
        else
            tuple->far[step - RDI_NEAR_STEPS] = 0;
        rest->sum += tuple->sum;
        tuple->sum = 0;
    }
    return RD_OK;
}

/* Returns whether one of the four small counters from `step` on is not 0. */
static bool is_one_of_four(const rdi_tuple *tuple, unsigned step) {
    uint64_t four = 0;
    if (step < RDI_NEAR_STEPS)
        memcpy(&four, &tuple->near[step], 4 * sizeof *tuple->near);
    else
        memcpy(&four, &tuple->far[step - RDI_NEAR_STEPS], 4 * sizeof *tuple->far);
    return four != 0;
}

/* Returns the first step from `step` on whose small counter is not 0, or RDI_SMALL_STEPS. In most
 * tuples nearly all small counters are 0. */
static unsigned next_counted(const rdi_tuple *tuple, unsigned step) {
    while (step < RDI_SMALL_STEPS && !rdi_tuple_small(tuple, step))
        step += step % 4 || is_one_of_four(tuple, step) ? 1 : 4;
    return step;
}

void rdi_tuple_to_share(const rdi_tuples *t, const rdi_tuple *tuple, rd_share *to) {
    if (tuple->rest)
        rdi_counts_to_share(t->steps, rest_at(t, tuple->rest), to);
    rdi_sum_add(&to->distance_sum, (rd_sum){tuple->sum, 0});
    for (unsigned i = 0; (i = next_counted(tuple, i)) < RDI_SMALL_STEPS; i++) {
        uint32_t n = rdi_tuple_small(tuple, i);
        to->references += n;
        to->bins[t->steps->bin[i]] += n;
        for (size_t k = 0; k < t->steps->missed[i]; k++)
            to->misses[k] += n;
    }
}

uint64_t rdi_tuple_references(const rdi_tuples *t, const rdi_tuple *tuple) {
    uint64_t references = 0;
    for (unsigned i = 0; (i = next_counted(tuple, i)) < RDI_SMALL_STEPS; i++)
        references += rdi_tuple_small(tuple, i);
    return references +
           (tuple->rest ? rdi_counts_references(t->steps, rest_at(t, tuple->rest)) : 0);
}

uint64_t rdi_tuple_misses(const rdi_tuples *t, const rdi_tuple *tuple) {
    uint64_t misses = 0;
    for (unsigned i = 0; (i = next_counted(tuple, i)) < RDI_SMALL_STEPS; i++)
        misses += (uint64_t)rdi_tuple_small(tuple, i) * t->steps->missed[i];
    return misses + (tuple->rest ? rdi_counts_misses(t->steps, rest_at(t, tuple->rest)) : 0);
}

/* Adds all counts of `from` to `to`, and frees the large counters of `from`, which the caller
 * removes. */
static rd_status merge(rdi_tuples *t, rdi_tuple *to, const rdi_tuple *from) {
    RD_TRY(need_rest(t, to));
    rdi_counts *rest = rest_at(t, to->rest);
    rest->sum += from->sum;
    for (unsigned i = 0; (i = next_counted(from, i)) < RDI_SMALL_STEPS; i++)
        add_large(t, to->rest, i, rdi_tuple_small(from, i));
    if (from->rest) {
        rdi_counts_add(rest, rest_at(t, from->rest));
        t->weights[to->rest - 1] += t->weights[from->rest - 1];
        give_rest(t, from->rest);
    }
    return RD_OK;
}

/* ---- the hash ---- */

/* Returns the slot that holds this key, or the free slot where it belongs. */
static rdi_tuple *probe(const rdi_tuples *t, rdi_tuple_key key) {
    rdi_tuple *slot = rdi_tuples_home(t, key), *end = t->slot + t->slots;
    while (slot->key && slot->key != key)
        slot = slot + 1 < end ? slot + 1 : t->slot;
    return slot;
}

/* A rule that changes keys while all tuples move to another table: tuples whose weight has fewer
 * than `bits` bits lose fields of the key, which depend on `step` (fold_key()). */
typedef struct folding {
    unsigned bits;
    int step;
} folding;

static unsigned weight_bits(const rdi_tuples *t, const rdi_tuple *tuple);

/* Returns `key` without its use, from step 1 on also without its region, and from step 2 on without
 * its reuse. First touches stay first touches. */
static rdi_tuple_key fold_key(rdi_tuple_key key, int step) {
    if (rdi_key_use(key) != RDI_FIRST)
        key |= RDI_SITE_FIELD << RDI_USE_SHIFT;
    if (step >= 1)
        key |= RDI_REGION_FIELD;
    if (step >= 2)
        key |= RDI_SITE_FIELD << RDI_REUSE_SHIFT;
    return key;
}

static rdi_tuple_key key_after(const rdi_tuples *t, const rdi_tuple *tuple, const folding *fold) {
    bool light = fold && weight_bits(t, tuple) < fold->bits;
    return light ? fold_key(tuple->key, fold->step) : tuple->key;
}

/* Moves the tuple `from` of another table to `t` and gives it `key`. If `t` has a tuple with this
 * key, merges the two. */
static rd_status keep(rdi_tuples *t, const rdi_tuple *from, rdi_tuple_key key) {
    rdi_tuple *slot = probe(t, key);
    if (slot->key)
        return merge(t, slot, from);
    *slot = *from;
    slot->key = key;
    t->n++;
    return RD_OK;
}

/* Moves the tuples in the KEPT_AT_ONCE slots from `from` on to `t`, and prefetches their new
 * slots. */
static rd_status keep_some(rdi_tuples *t, const rdi_tuple *from, const folding *fold) {
    rdi_tuple_key key[KEPT_AT_ONCE];
    for (size_t i = 0; i < KEPT_AT_ONCE; i++) {
        key[i] = from[i].key ? key_after(t, &from[i], fold) : 0;
        RDI_PREFETCH(rdi_tuples_home(t, key[i]));
    }
    for (size_t i = 0; i < KEPT_AT_ONCE; i++)
        if (key[i])
            RD_TRY(keep(t, &from[i], key[i]));
    return RD_OK;
}

/* Returns an empty table with `slots` slots, or NULL if there is no memory. Uses the spare table if
 * it has this size. */
static rdi_tuple *empty_table(rdi_tuples *t, size_t slots) {
    size_t bytes = slots * sizeof *t->slot;
    if (!t->spare || slots != t->slots)
        return rdi_pages_alloc(t->ctx, bytes);
    rdi_tuple *table = t->spare;
    t->spare = NULL;
    memset(table, 0, bytes);
    return table;
}

/* Moves all tuples to another table with `slots` slots, and changes their keys by `fold` unless
 * that is NULL. If the number of slots stays the same, the old table becomes the spare table. */
static rd_status rebuild(rdi_tuples *t, size_t slots, const folding *fold) {
    rdi_tuple *slot = empty_table(t, slots);
    if (!slot)
        return RD_ENOMEM;
    rdi_tuples old = *t;
    t->slot = slot;
    t->slots = slots;
    t->shift = 65 - rdi_bit_width(slots);
    t->n = 0;
    rd_status status = RD_OK;
    for (size_t i = 0; i < old.slots && status == RD_OK; i += KEPT_AT_ONCE)
        status = keep_some(t, &old.slot[i], fold);
    if (slots == old.slots)
        t->spare = old.slot;
    else
        rdi_pages_free(t->ctx, old.slot, old.slots * sizeof *old.slot);
    return status;
}

/* ---- folding ---- */

/* Returns the number of bits of the weight of a tuple. */
static unsigned weight_bits(const rdi_tuples *t, const rdi_tuple *tuple) {
    uint32_t small = 0; /* weight of all small counters, summed without unpredictable branches */
    for (unsigned i = 0; i < RDI_NEAR_STEPS; i++)
        small += (uint32_t)tuple->near[i] * t->small_weight[i];
    for (unsigned i = RDI_NEAR_STEPS; i < RDI_SMALL_STEPS; i++)
        small += (uint32_t)tuple->far[i - RDI_NEAR_STEPS] * t->small_weight[i];
    return rdi_bit_width(small + (tuple->rest ? t->weights[tuple->rest - 1] : 0));
}

/* Returns the smallest number of bits such that at least half of the tuples have a weight with
 * fewer bits. */
static unsigned light_bits(const rdi_tuples *t) {
    size_t with[65] = {0}, below = 0;
    unsigned bits = 0;
    for (const rdi_tuple *tuple = NULL; (tuple = rdi_tuples_next(t, tuple));)
        with[weight_bits(t, tuple)]++;
    for (; bits < 64 && below < t->n / 2; bits++)
        below += with[bits];
    return bits;
}

/* Folds the lighter half of the tuples, again and again, until at most three quarters of `max`
 * tuples are left. The first pass drops the uses, the second also the regions, and all further
 * passes also the reuses. A pass that drops reuses leaves at most two tuples of the lighter half:
 * one for first touches and one for all other references. */
static rd_status fold(rdi_tuples *t) {
    for (int step = 0; t->n > t->max / 4 * 3; step += step < 2)
        RD_TRY(rebuild(t, t->slots, &(folding){light_bits(t), step}));
    return RD_OK;
}

rd_status rdi_tuples_find(rdi_tuples *t, rdi_tuple_key key, rdi_tuple **out) {
    rdi_tuple *slot = probe(t, key);
    if (!slot->key) {
        if (t->n == t->max)
            RD_TRY(fold(t));
        if ((t->n + 1) * 2 > t->slots)
            RD_TRY(rebuild(t, t->slots * 2, NULL));
        slot = probe(t, key);
        slot->key = key;
        t->n++;
    }
    rdi_tuple *home = rdi_tuples_home(t, key), found = *slot;
    *slot = *home; /* no slot between `home` and `slot` is free, so both tuples are still found */
    *home = found;
    *out = home;
    return RD_OK;
}
