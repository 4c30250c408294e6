/* The queue of expirations: finds the objects whose lifetime has ended.
 *
 * Time only advances, so the queue is a hierarchical timing wheel. Times are numbers of eight
 * base-256 digits, and there is a list for each digit and value of the digit. To find the list of
 * an object, its time of expiry is compared with the present time: the highest digit in which the
 * two differ and the value of this digit in the time of expiry determine the list. When the
 * present time reaches the times of a list, the objects of the list expire or move to lists of
 * lower digits. A list is a chain of small arrays, so that the entries of its objects can be
 * prefetched.
 *
 * If the time of expiry becomes later, the object stays in its list, and moves to the right list
 * when its list is visited. If the time of expiry becomes earlier, the object gets a second place,
 * and its old place is stale. Stale places are removed when there are many more places than
 * objects, so memory is O(objects). */
#ifndef RDI_EXPIRY_H
#define RDI_EXPIRY_H

#include "base/common.h"

#define RDI_EXPIRY_DIGITS 8 /* number of digits of a time; a digit has 8 bits */
#define RDI_EXPIRY_LISTS  (RDI_EXPIRY_DIGITS * 256)
#define RDI_EXPIRY_NEVER  UINT64_MAX
#define RDI_EXPIRY_PLACES 30   /* number of places in an array of a list */
#define RDI_EXPIRY_STEP   4096 /* largest `step` of rdi_expiry_room() */

typedef struct rdi_expiry_entry {
    uint64_t time;   /* when the object expires; RDI_EXPIRY_NEVER: never */
    uint64_t placed; /* the time by which the object's list was chosen; RDI_EXPIRY_NEVER: the
                        object is in no list */
} rdi_expiry_entry;

typedef struct rdi_expiry_places {
    uint32_t next;    /* next array of the list, as an index; 0: none */
    uint16_t list, n; /* index of the list, and the number of places in use */
    uint32_t number[RDI_EXPIRY_PLACES];
} rdi_expiry_places;

typedef struct rdi_expiry_queue {
    rdi_expiry_entry *entry; /* indexed by the number of the object */
    uint64_t room;           /* number of objects that fit; 0 until the first lifetime */
    rdi_expiry_places *array;
    uint64_t array_room;
    uint32_t free;   /* first array of the chain of unused arrays; 0: none */
    uint64_t fresh;  /* index of the first array that was never used; array 0 is not used */
    uint64_t places; /* number of places in all lists, stale places included */
    uint64_t now;
    uint32_t first[RDI_EXPIRY_LISTS];     /* first array of each list; 0: the list is empty */
    uint64_t used[RDI_EXPIRY_LISTS / 64]; /* one bit per list that is not empty */
} rdi_expiry_queue;

typedef void rdi_expired(void *user, const uint32_t *number, unsigned n);
/* Receives the numbers of objects that will probably expire soon, so that it can prefetch what
 * rdi_expired() needs. `next` is set for objects that expire next; most of these objects were announced
 * before, without `next`. */
typedef void rdi_expiry_announce(void *user, const uint32_t *number, unsigned n, bool next);

void rdi_expiry_fini(rdi_expiry_queue *q, rd_ctx *ctx); /* a zeroed queue is allowed */
/* Makes room for objects 0 to n - 1, and for `step` calls of rdi_expiry_set() before the next call
 * of this function; `step` is at most RDI_EXPIRY_STEP. A new queue begins at the time `now`. */
rd_status rdi_expiry_room(rdi_expiry_queue *q, rd_ctx *ctx, uint64_t n, uint64_t step,
                          uint64_t now);

/* Sets the time at which an object expires: after the present time, or RDI_EXPIRY_NEVER. */
void rdi_expiry_set(rdi_expiry_queue *q, uint32_t number, uint64_t time);

/* Advances the present time to `now`, and calls `expired` with the numbers of objects that expire at or
 * before it, up to RDI_EXPIRY_PLACES of them at a time. Then it announces some objects that expire
 * soon. An earlier `now` has no effect. */
void rdi_expiry_advance(rdi_expiry_queue *q, uint64_t now, rdi_expired *expired,
                        rdi_expiry_announce *announce, void *user);

#endif
