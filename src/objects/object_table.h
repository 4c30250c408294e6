/* The table of objects: gives each object id a number, 0, 1, 2 ... in the order of their first
 * requests, and stores an rdi_cached for each object. No rdi_cached is ever removed, because a
 * request for a deleted object is a different kind of miss from the first request for an object. */
#ifndef RDI_OBJECT_TABLE_H
#define RDI_OBJECT_TABLE_H

#include "base/common.h"

/* The state of an object in an infinite cache. */
typedef enum rdi_cached_state {
    RDI_CACHED_NEW,     /* the object was never in the cache */
    RDI_CACHED_PRESENT, /* the object is in the cache and has not expired */
    RDI_CACHED_STALE,   /* the object has expired, but a finite cache keeps it until it is
                           evicted */
    RDI_CACHED_EXPIRED, /* the object has expired and was removed from the cache */
    RDI_CACHED_DELETED
} rdi_cached_state;

/* One object of the table. It has 32 bytes, so that it is in one cache line. */
typedef struct rdi_cached {
    uint64_t id;
    uint64_t bytes;
    uint64_t end;    /* when the object expires, in nanoseconds; 0: never */
    uint32_t slot;   /* slot on the axis if the object is present or stale, otherwise 0 */
    uint32_t status; /* see the functions below */
} rdi_cached;

/* `status` has an rdi_cached_state in its three lowest bits, and above them the number of requests
 * that used the object, up to RDI_USES_MAX. It is one number and not two bit-fields, because a
 * processor waits when it loads a word of which only a byte was stored just before. */
#define RDI_STATE_BITS 3
#define RDI_USES_MAX   ((UINT32_C(1) << (32 - RDI_STATE_BITS)) - 1)

static inline rdi_cached_state rdi_cached_state_of(const rdi_cached *x) {
    return (rdi_cached_state)(x->status & ((1 << RDI_STATE_BITS) - 1));
}

static inline uint32_t rdi_cached_uses(const rdi_cached *x) {
    return x->status >> RDI_STATE_BITS;
}

static inline void rdi_cached_set_state(rdi_cached *x, rdi_cached_state state) {
    x->status = rdi_cached_uses(x) << RDI_STATE_BITS | state;
}

/* Notes that a request used the object, which is present now. */
static inline void rdi_cached_use(rdi_cached *x) {
    uint32_t uses = rdi_cached_uses(x);
    x->status = (uses + (uses < RDI_USES_MAX)) << RDI_STATE_BITS | RDI_CACHED_PRESENT;
}

typedef struct rdi_object_table {
    uint64_t *entry;  /* open addressing: upper half of the hash, and number plus 1; 0: empty */
    uint64_t entries; /* number of entries, a power of two */
    unsigned shift;   /* 64 minus log2(entries) */
    rdi_cached *object;
    uint64_t object_room;
    uint64_t n; /* number of objects */
    uint64_t seed;
    unsigned reseedings;
    bool skewed; /* true: an id is far from its home, so that another hash will be chosen */
} rdi_object_table;

rd_status rdi_object_table_init(rdi_object_table *t, rd_ctx *ctx);
void rdi_object_table_fini(rdi_object_table *t, rd_ctx *ctx); /* a zeroed table is allowed */

/* Makes room for k more objects. Numbers of objects stay valid, but pointers to objects, hashes and
 * places do not. */
rd_status rdi_object_table_room(rdi_object_table *t, rd_ctx *ctx, uint64_t k);

static inline uint64_t rdi_cached_hash(const rdi_object_table *t, uint64_t id) {
    return rdi_mix64(id ^ t->seed);
}

/* Returns the index of the entry at which the search for a hash begins. It depends only on the
 * upper half of the hash, which the entries contain, because there are at most 2^32 entries. */
static inline uint64_t rdi_cached_home(const rdi_object_table *t, uint64_t hash) {
    return hash >> t->shift;
}

static inline void rdi_cached_prefetch(const rdi_object_table *t, uint64_t hash) {
    RDI_PREFETCH(t->entry + rdi_cached_home(t, hash));
}

/* Finds an object in two steps, so that a caller with several ids can let their memory accesses
 * overlap. rdi_cached_probe() returns a place and prefetches the object that rdi_cached_find()
 * compares. rdi_cached_find() returns the number of the object, and adds an object if the id is
 * new. The table must have room. */
uint64_t rdi_cached_probe(const rdi_object_table *t, uint64_t hash);
uint32_t rdi_cached_find(rdi_object_table *t, uint64_t id, uint64_t hash, uint64_t place);

#endif
