/* Implements the table of objects. See object_table.h. */
#include "objects/object_table.h"

#include <string.h>

#define ENTRIES_LEAST 4096
#define OBJECTS_MOST  (UINT64_C(1) << 31)
#define AHEAD         16  /* number of objects between the prefetch of an entry and its use */
#define FAR           128 /* if a new id is more entries away from its home, a new hash is chosen */
#define RESEEDS_MOST  8   /* maximum number of times that a new hash is chosen */

/* An entry has the upper half of the hash and the number of the object plus 1. */
#define NUMBER(entry) ((uint32_t)(entry)-1)
#define TAG(hash)     ((hash) >> 32 << 32)

static void insert(rdi_object_table *t, uint64_t hash, uint64_t number) {
    uint64_t mask = t->entries - 1, i = hash & mask;
    while (t->entry[i])
        i = (i + 1) & mask;
    t->entry[i] = TAG(hash) | (number + 1);
}

/* Replaces the entries by an array of `entries` entries, and inserts all objects into it. */
static rd_status rehash(rdi_object_table *t, rd_ctx *ctx, uint64_t entries) {
    uint64_t *fresh = rdi_pages_alloc(ctx, (size_t)entries * sizeof *fresh);
    if (!fresh)
        return RD_ENOMEM;
    rdi_pages_free(ctx, t->entry, (size_t)t->entries * sizeof *t->entry);
    t->entry = fresh;
    t->entries = entries;
    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t ahead = i + AHEAD < t->n ? i + AHEAD : i;
        rdi_cached_prefetch(t, rdi_cached_hash(t, t->object[ahead].id));
        insert(t, rdi_cached_hash(t, t->object[i].id), i);
    }
    return RD_OK;
}

rd_status rdi_object_table_init(rdi_object_table *t, rd_ctx *ctx) {
    *t = (rdi_object_table){.seed = UINT64_C(0xa0761d6478bd642f)};
    return rehash(t, ctx, ENTRIES_LEAST);
}

void rdi_object_table_fini(rdi_object_table *t, rd_ctx *ctx) {
    rdi_pages_free(ctx, t->entry, (size_t)t->entries * sizeof *t->entry);
    rdi_pages_free(ctx, t->object, (size_t)t->object_room * sizeof *t->object);
}

static rd_status grow_objects(rdi_object_table *t, rd_ctx *ctx, uint64_t k) {
    uint64_t wanted = t->object_room + t->object_room / 2 + k;
    if (t->n + k > OBJECTS_MOST)
        return rdi_fail(ctx, RD_ERANGE,
                        "the trace has more than 2^31 objects, which is the limit; use a shorter "
                        "trace");
    void *p = t->object;
    rd_status status = rdi_pages_grow_array(ctx, &p, &t->object_room, wanted, sizeof *t->object);
    t->object = p;
    return status;
}

/* Chooses another hash. The table does so if ids are far from their homes although many entries are
 * free: such ids collide under the present hash, and another hash spreads them. */
static rd_status reseed(rdi_object_table *t, rd_ctx *ctx) {
    rdi_rng rng = {t->seed};
    t->seed = rdi_rng_next(&rng);
    t->reseedings++;
    t->skewed = false;
    return rehash(t, ctx, t->entries);
}

rd_status rdi_object_table_room(rdi_object_table *t, rd_ctx *ctx, uint64_t k) {
    if (RDI_UNLIKELY(t->n + k > t->object_room))
        RD_TRY(grow_objects(t, ctx, k));
    if (RDI_UNLIKELY(4 * (t->n + k) > 3 * t->entries))
        RD_TRY(rehash(t, ctx, 2 * t->entries));
    if (RDI_UNLIKELY(t->skewed && t->reseedings < RESEEDS_MOST))
        RD_TRY(reseed(t, ctx));
    return RD_OK;
}

uint64_t rdi_cached_probe(const rdi_object_table *t, uint64_t hash) {
    uint64_t mask = t->entries - 1, i = hash & mask, entry;
    while ((entry = t->entry[i]) != 0 && TAG(entry) != TAG(hash))
        i = (i + 1) & mask;
    RDI_PREFETCH(&t->object[entry ? NUMBER(entry) : t->n]);
    return i;
}

uint32_t rdi_cached_find(rdi_object_table *t, uint64_t id, uint64_t hash, uint64_t place) {
    uint64_t mask = t->entries - 1, i = place;
    for (uint64_t entry; (entry = t->entry[i]) != 0; i = (i + 1) & mask)
        if (TAG(entry) == TAG(hash) && t->object[NUMBER(entry)].id == id)
            return NUMBER(entry);
    t->skewed = t->skewed || ((i - hash) & mask) > FAR;
    uint32_t number = (uint32_t)t->n++;
    t->entry[i] = TAG(hash) | (number + UINT64_C(1));
    t->object[number] = (rdi_cached){.id = id};
    return number;
}
