/* Counts per use, reuse and region. See tuples.h. */
#include "attribution/tuples.h"

#include <string.h>

#define FIRST_SLOTS 256

rd_status rdi_tuples_init(rdi_tuples *t, rd_ctx *ctx, const rdi_steps *steps, size_t max) {
    *t = (rdi_tuples){.ctx = ctx, .steps = steps, .max = max, .mask = FIRST_SLOTS - 1};
    t->slot = rdi_calloc(ctx, FIRST_SLOTS, sizeof *t->slot);
    return t->slot ? RD_OK : RD_ENOMEM;
}

void rdi_tuples_fini(rdi_tuples *t) {
    if (!t->ctx)
        return;
    for (size_t i = 0; i < t->n_chunks; i++)
        rdi_free(t->ctx, t->chunk[i]);
    rdi_free(t->ctx, t->chunk);
    rdi_free(t->ctx, t->slot);
    *t = (rdi_tuples){0};
}

/* ---- the hash ---- */

static size_t home(const rdi_tuples *t, rdi_tuple_key key) {
    uint64_t both = (uint64_t)key.use << 32 | key.reuse;
    return rdi_mix64(both + key.region * UINT64_C(0x9e3779b97f4a7c15)) & t->mask;
}

/* The slot of this key, or the free one where it belongs. */
static uint32_t *probe(const rdi_tuples *t, rdi_tuple_key key) {
    size_t i = home(t, key);
    while (t->slot[i] && !rdi_tuple_key_equal(rdi_tuple_at(t, t->slot[i] - 1)->key, key))
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

static rd_status grow_hash(rdi_tuples *t) {
    size_t slots = (t->mask + 1) * 2;
    uint32_t *slot = rdi_calloc(t->ctx, slots, sizeof *slot);
    if (!slot)
        return RD_ENOMEM;
    rdi_free(t->ctx, t->slot);
    t->slot = slot;
    t->mask = slots - 1;
    for (size_t i = 0; i < t->n; i++)
        *probe(t, rdi_tuple_at(t, i)->key) = (uint32_t)i + 1;
    return RD_OK;
}

static rd_status add_chunk(rdi_tuples *t) {
    rdi_tuple **grown = rdi_resize(t->ctx, t->chunk, t->n_chunks + 1, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    t->chunk = grown;
    grown[t->n_chunks] = rdi_alloc(t->ctx, RDI_TUPLE_CHUNK, sizeof **grown);
    if (!grown[t->n_chunks])
        return RD_ENOMEM;
    t->n_chunks++;
    return RD_OK;
}

/* ---- folding ---- */

/* Misses weigh more: they are what people look for. */
static uint64_t weight(const rdi_tuples *t, const rdi_tuple *tuple) {
    return rdi_counts_references(t->steps, &tuple->counts) +
           8 * rdi_counts_misses(t->steps, &tuple->counts);
}

/* Half of the tuples, give or take those of like weight, have fewer bits in their weights. */
static unsigned light_bits(const rdi_tuples *t) {
    size_t with[65] = {0}, below = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < t->n; i++)
        with[rdi_bit_width(weight(t, rdi_tuple_at(t, i)))]++;
    for (; bits < 64 && below < t->n / 2; bits++)
        below += with[bits];
    return bits;
}

/* The key that a light tuple has from now on. First touches are no reuse, whoever they belong to.
 */
static void fold_key(rdi_tuple_key *key, int step) {
    if (key->use != RDI_FIRST)
        key->use = RDI_OTHERS;
    if (step >= 1)
        key->region = RDI_OTHERS;
    if (step >= 2)
        key->reuse = RDI_OTHERS;
}

/* Puts tuple `from` at the end of those that stay, or adds it to one of the same key. */
static void keep(rdi_tuples *t, const rdi_tuple *from) {
    uint32_t *slot = probe(t, from->key);
    if (*slot) {
        rdi_counts_add(&rdi_tuple_at(t, *slot - 1)->counts, &from->counts);
        return;
    }
    *rdi_tuple_at(t, t->n) = *from;
    *slot = (uint32_t)++t->n;
}

/* Those that stay are never more than those looked at, so they can take their places. */
static void fold_once(rdi_tuples *t, int step) {
    unsigned bits = light_bits(t);
    size_t n = t->n;
    memset(t->slot, 0, (t->mask + 1) * sizeof *t->slot);
    t->n = 0;
    for (size_t i = 0; i < n; i++) {
        rdi_tuple tuple = *rdi_tuple_at(t, i);
        if (rdi_bit_width(weight(t, &tuple)) < bits)
            fold_key(&tuple.key, step);
        keep(t, &tuple);
    }
}

/* To three quarters at most. The last step leaves two tuples of every light half. */
static void fold(rdi_tuples *t) {
    for (int step = 0; t->n > t->max / 4 * 3; step += step < 2)
        fold_once(t, step);
    t->foldings++;
}

rd_status rdi_tuples_find(rdi_tuples *t, rdi_tuple_key key, rdi_tuple **out) {
    uint32_t *slot = probe(t, key);
    if (*slot) {
        *out = rdi_tuple_at(t, *slot - 1);
        return RD_OK;
    }
    if (t->n == t->max) {
        fold(t);
        slot = probe(t, key);
    }
    if ((t->n + 1) * 2 > t->mask) {
        RD_TRY(grow_hash(t));
        slot = probe(t, key);
    }
    if (t->n == t->n_chunks * RDI_TUPLE_CHUNK)
        RD_TRY(add_chunk(t));
    *out = rdi_tuple_at(t, t->n);
    memset(*out, 0, sizeof **out);
    (*out)->key = key;
    *slot = (uint32_t)++t->n;
    return RD_OK;
}
