/* Counts the misses of simulated caches. See misses.h. */
#include "attribution/misses.h"

rd_status rdi_misses_init(rdi_misses *m, rd_ctx *ctx, size_t caches, size_t max) {
    *m = (rdi_misses){.ctx = ctx, .caches = caches, .max = max};
    if (caches == 0)
        return RD_OK;
    RD_TRY(rdi_block_map_init(&m->numbers, ctx));
    return rdi_block_map_init(&m->rival_numbers, ctx);
}

void rdi_misses_fini(rdi_misses *m) {
    rdi_block_map_fini(&m->numbers);
    rdi_block_map_fini(&m->rival_numbers);
    rdi_free(m->ctx, m->missed);
    rdi_free(m->ctx, m->rivals);
    *m = (rdi_misses){0};
}

size_t rdi_misses_bytes(const rdi_misses *m) {
    size_t slots = m->caches ? m->numbers.mask + m->rival_numbers.mask + 2 : 0;
    return slots * sizeof *m->numbers.slot + m->room * sizeof *m->missed +
           m->rivals_room * sizeof *m->rivals;
}

/* ---- majority ---- */

static void vote(rdi_vote *v, uint64_t value) {
    v->cast++;
    if (v->lead == 0)
        v->value = value;
    v->lead = v->value == value ? v->lead + 1 : v->lead - 1;
}

/* `value` has at least `lead` votes, so it has the majority if `lead` is more than half of all
 * votes. */
uint64_t rdi_vote_result(const rdi_vote *v) {
    return v->lead > v->cast / 2 ? v->value : 0;
}

static uint64_t apart(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* ---- counting ---- */

/* Makes room for one more element of `size` bytes in an array. */
static rd_status reserve(rd_ctx *ctx, void *array, size_t n, size_t *room, size_t size) {
    if (n < *room)
        return RD_OK;
    size_t more = *room ? 2 * *room : 64;
    void *grown = rdi_resize(ctx, *(void **)array, more, size);
    if (!grown)
        return RD_ENOMEM;
    *(void **)array = grown;
    *room = more;
    return RD_OK;
}

/* Stores the index of a key in *at. A new key gets the index `n`, which is the number of keys. If
 * there are `max` keys, a new key gets no index, and *at becomes RDI_ABSENT, unless the key is
 * `needed`. */
static rd_status number_of(rdi_block_map *map, uint64_t key, size_t n, size_t max, bool needed,
                           uint64_t *at) {
    const uint64_t *known = rdi_block_map_find(map, key);
    uint64_t old;
    *at = known ? *known : n < max || needed ? n : RDI_ABSENT;
    return known || *at == RDI_ABSENT ? RD_OK : rdi_block_map_exchange(map, key, n, &old);
}

/* Counts a miss under a tag. Sets *full to whether there was no room for the tag, so that the miss
 * was not counted. */
static rd_status count(rdi_misses *m, const rd_miss *miss, uint64_t tag, bool *full) {
    uint64_t at;
    RD_TRY(reserve(m->ctx, &m->missed, m->n, &m->room, sizeof *m->missed));
    RD_TRY(number_of(&m->numbers, tag | (uint64_t)miss->cache << RDI_TAG_BITS, m->n, m->max,
                     tag == RDI_TAG_OTHERS, &at));
    *full = at == RDI_ABSENT;
    if (*full)
        return RD_OK;
    rdi_missed *entry = &m->missed[at];
    if (at == m->n) {
        *entry = (rdi_missed){.tag = tag, .cache = miss->cache};
        m->n++;
    } else
        vote(&entry->stride, apart(miss->block, entry->last));
    entry->causes[miss->cause]++;
    entry->last = miss->block;
    return RD_OK;
}

static rd_status count_rivals(rdi_misses *m, const rd_miss *miss) {
    uint64_t own = miss->tag & RDI_REGION_FIELD, other = miss->evictor_tag & RDI_REGION_FIELD, at;
    uint64_t cache = (uint64_t)miss->cache << 2 * RDI_REGION_BITS;
    uint64_t key = cache | own << RDI_REGION_BITS | (miss->was_evicted ? other : 0);
    RD_TRY(reserve(m->ctx, &m->rivals, m->n_rivals, &m->rivals_room, sizeof *m->rivals));
    RD_TRY(number_of(&m->rival_numbers, key, m->n_rivals, m->max, false, &at));
    if (at == RDI_ABSENT) {
        key = cache | RDI_REGION_FIELD << RDI_REGION_BITS | RDI_REGION_FIELD;
        RD_TRY(number_of(&m->rival_numbers, key, m->n_rivals, m->max, true, &at));
    }
    rdi_rivals *entry = &m->rivals[at];
    if (at == m->n_rivals) {
        uint32_t evictor = key & RDI_REGION_FIELD ? rdi_key_region(key) : RDI_NO_REGION;
        *entry = (rdi_rivals){.cache = miss->cache,
                              .region = rdi_key_region(key >> RDI_REGION_BITS),
                              .evictor = evictor};
        m->n_rivals++;
    }
    entry->count++;
    if (miss->was_evicted)
        vote(&entry->offset, apart(miss->block, miss->evictor_block));
    return RD_OK;
}

rd_status rdi_misses_add(rdi_misses *m, const rd_miss *miss) {
    bool full = false;
    RD_TRY(count(m, miss, miss->tag, &full));
    if (full)
        RD_TRY(count(m, miss, RDI_TAG_OTHERS, &full));
    RD_TRY(count(m, miss, miss->tag & RDI_REGION_FIELD, &full));
    return miss->cause == RD_CAUSE_CONFLICT ? count_rivals(m, miss) : RD_OK;
}
