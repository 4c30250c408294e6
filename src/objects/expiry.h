/* The queue of expirations: finds the objects whose lifetime has ended.
 *
 * Time only advances, so the queue is a wheel: an object is in the list of the highest base-256
 * digit in which its time differs from now, and of the value of that digit. When now enters the
 * range of a list, the objects of the list expire or go to lists of lower digits. A list is a chain
 * of small arrays, so that the entries of its objects can be prefetched.
 *
 * If the lifetime of an object ends later than it did before, the object stays in its list and goes
 * to the right one when the list is visited. If it ends earlier, the object gets a second place, and
 * the old place is stale. Stale places are removed when they outnumber the objects, so memory is
 * O(objects). */
#ifndef RDI_EXPIRY_H
#define RDI_EXPIRY_H

#include "base/common.h"

#define RDI_EXPIRY_DIGITS 8 /* digits of 8 bits */
#define RDI_EXPIRY_LISTS  (RDI_EXPIRY_DIGITS * 256)
#define RDI_EXPIRY_NEVER  UINT64_MAX
#define RDI_EXPIRY_PLACES 30   /* number of places in an array of a list */
#define RDI_EXPIRY_STEP   4096 /* largest `step` of rdi_expiry_room() */

typedef struct rdi_expiry_entry {
    uint64_t time;   /* when the lifetime ends; RDI_EXPIRY_NEVER: never */
    uint64_t placed; /* the time by which the object's list was chosen; RDI_EXPIRY_NEVER: the
                        object is in no list */
} rdi_expiry_entry;

typedef struct rdi_expiry_places {
    uint32_t next;    /* next array of the list, as an index; 0: none */
    uint16_t list, n; /* index of the list, and the number of places in use */
    uint32_t number[RDI_EXPIRY_PLACES];
} rdi_expiry_places;

typedef struct rdi_expiry_queue {
    rdi_expiry_entry *entry; /* by the number of the object */
    uint64_t room;           /* number of objects; 0 until the first lifetime */
    rdi_expiry_places *array;
    uint64_t array_room;
    uint32_t free;   /* first unused array in a chain; 0: none */
    uint64_t fresh;  /* index of the first array that was never used; array 0 is not used */
    uint64_t places; /* number of places in all lists */
    uint64_t now;
    uint32_t first[RDI_EXPIRY_LISTS];     /* first array of each list; 0: the list is empty */
    uint64_t used[RDI_EXPIRY_LISTS / 64]; /* one bit per list that is not empty */
} rdi_expiry_queue;

void rdi_expiry_fini(rdi_expiry_queue *q, rd_ctx *ctx); /* a zeroed queue is allowed */
/* Makes room for the objects 0 ... n - 1. At most `step` times, no more than RDI_EXPIRY_STEP,
 * may be set before the next call. `now` is the time at which a new queue begins. */
rd_status rdi_expiry_room(rdi_expiry_queue *q, rd_ctx *ctx, uint64_t n, uint64_t step,
                          uint64_t now);

/* Sets the time, after now, at which an object expires. */
void rdi_expiry_set(rdi_expiry_queue *q, uint32_t number, uint64_t time);

/* Sets the time of the queue and calls `expired` for every object whose time has come. */
void rdi_expiry_advance(rdi_expiry_queue *q, uint64_t now,
                        void (*expired)(void *user, uint32_t number), void *user);

#endif
