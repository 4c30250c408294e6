/* Implements the table of objects. See object_table.h. */
#include "objects/object_table.h"

#include <string.h>

#define ENTRY_BITS_LEAST 12
#define OBJECTS_MOST     (UINT64_C(1) << 31)
#define AHEAD            16 /* number of objects between the prefetch of an entry and its use */
/* If a new id is stored more than this number of entries after its home, a new hash is chosen. At
 * most half of the entries are used, so a random hash has no runs of used entries that are this
 * long. */
#define FAR          256
#define RESEEDS_MOST 8 /* maximum number of times that a new hash is chosen */

/* An entry has the upper half of the hash and the number of the object plus 1. */
#define NUMBER(entry) ((uint32_t)(entry)-1)
#define TAG(hash)     ((hash) >> 32 << 32)

/* Stores an entry, which has the upper half of its hash, in the first empty place from its home. */
static void insert(rdi_object_table *t, uint64_t entry) {
    uint64_t mask = t->entries - 1, i = rdi_cached_home(t, entry);
    while (t->entry[i])
        i = (i + 1) & mask;
    t->entry[i] = entry;
}

/* Replaces the entries by an array of 2^bits empty entries. Sets *old, if not NULL, to the replaced
 * array, which the caller frees; otherwise frees it. */
static rd_status replace_entries(rdi_object_table *t, rd_ctx *ctx, unsigned bits, uint64_t **old) {
    uint64_t *fresh = rdi_pages_alloc(ctx, sizeof *fresh << bits);
    if (!fresh)
        return RD_ENOMEM;
    if (old)
        *old = t->entry;
    else
        rdi_pages_free(ctx, t->entry, (size_t)t->entries * sizeof *t->entry);
    t->entry = fresh;
    t->entries = UINT64_C(1) << bits;
    t->shift = 64 - bits;
    return RD_OK;
}

/* Doubles the number of entries. An entry moves from place i to about 2 * i, because its home is
 * given by the upper bits of its hash. So both arrays are visited in order, without cache
 * misses. */
static rd_status double_entries(rdi_object_table *t, rd_ctx *ctx) {
    uint64_t *old = NULL, n = t->entries;
    RD_TRY(replace_entries(t, ctx, 65 - t->shift, &old));
    for (uint64_t i = 0; i < n; i++)
        if (old[i])
            insert(t, old[i]);
    rdi_pages_free(ctx, old, (size_t)n * sizeof *old);
    return RD_OK;
}

rd_status rdi_object_table_init(rdi_object_table *t, rd_ctx *ctx) {
    *t = (rdi_object_table){.seed = UINT64_C(0xa0761d6478bd642f)};
    return replace_entries(t, ctx, ENTRY_BITS_LEAST, NULL);
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

/* Chooses another hash, because ids are far from their homes although at least half of the entries
 * are free: these ids collide under the present hash, and another hash spreads them. */
static rd_status reseed(rdi_object_table *t, rd_ctx *ctx) {
    rdi_rng rng = {t->seed};
    t->seed = rdi_rng_next(&rng);
    t->reseedings++;
    t->skewed = false;
    RD_TRY(replace_entries(t, ctx, 64 - t->shift, NULL));
    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t ahead = i + AHEAD < t->n ? i + AHEAD : i;
        rdi_cached_prefetch(t, rdi_cached_hash(t, t->object[ahead].id));
        insert(t, TAG(rdi_cached_hash(t, t->object[i].id)) | (i + 1));
    }
    return RD_OK;
}

rd_status rdi_object_table_room(rdi_object_table *t, rd_ctx *ctx, uint64_t k) {
    if (RDI_UNLIKELY(t->n + k > t->object_room))
        RD_TRY(grow_objects(t, ctx, k));
    if (RDI_UNLIKELY(2 * (t->n + k) > t->entries))
        RD_TRY(double_entries(t, ctx));
    if (RDI_UNLIKELY(t->skewed && t->reseedings < RESEEDS_MOST))
        RD_TRY(reseed(t, ctx));
    return RD_OK;
}

uint64_t rdi_cached_probe(const rdi_object_table *t, uint64_t hash) {
    uint64_t mask = t->entries - 1, i = rdi_cached_home(t, hash), entry;
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
    t->skewed = t->skewed || ((i - rdi_cached_home(t, hash)) & mask) > FAR;
    uint32_t number = (uint32_t)t->n++;
    t->entry[i] = TAG(hash) | (number + UINT64_C(1));
    t->object[number] = (rdi_cached){.id = id};
    return number;
}
