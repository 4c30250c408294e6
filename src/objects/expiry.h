/* The queue of expirations: finds the objects whose lifetime has ended.
 *
 * Time only advances, so the queue is a hierarchical timing wheel. Times are numbers of seven
 * base-1024 digits, and there is a list for each digit and value of the digit. To find the list of
 * an object, its time of expiry is compared with the present time of the wheel: the highest digit in
 * which the two differ and the value of this digit in the time of expiry determine the list. When
 * the time of the wheel reaches the times of a list, the objects of the list are due or move to
 * lists of lower digits. A digit has 10 bits because 2^30 nanoseconds are about a second, in which
 * most traces count: an object with a lifetime of a day then moves only once.
 *
 * The wheel runs ahead of the requests. It advances by a tile of requests at a time, and gives each
 * request a list of the objects that are due at its time. So the memory of all objects that expire
 * in a tile can be prefetched together, although each object expires exactly when it must.
 *
 * A place in a list is an object and the time by which the list was chosen, so that moving a
 * place does not need the memory of its object. If the time of expiry becomes later, the object
 * stays in its place until its place is due. If the time of expiry becomes earlier, the object
 * gets a second place, and its old place is stale. All lists are made anew when there are many more
 * places than objects, so memory is O(objects). */
#ifndef RDI_EXPIRY_H
#define RDI_EXPIRY_H

#include "objects/object_table.h"

#define RDI_EXPIRY_DIGITS 7 /* number of digits of a time; a digit has 10 bits */
#define RDI_EXPIRY_WHEEL  (RDI_EXPIRY_DIGITS * 1024) /* number of lists of the wheel */
#define RDI_EXPIRY_AHEAD  64                         /* maximum lead of the wheel, in requests */
#define RDI_EXPIRY_LISTS  (RDI_EXPIRY_WHEEL + RDI_EXPIRY_AHEAD)
#define RDI_EXPIRY_PLACES 20   /* number of places in an array of a list */
#define RDI_EXPIRY_DUE    128  /* maximum number of objects announced at a time */
#define RDI_EXPIRY_STEP   4096 /* largest `step` of rdi_expiry_room() */

/* The lifetime of an object. Its time of expiry is in rdi_cached. */
typedef struct rdi_expiry_entry {
    uint64_t lifetime; /* the lifetime that began last, in nanoseconds; 0: unlimited */
    uint64_t placed;   /* time of the object's place; if this time has passed, the object has no
                          place */
} rdi_expiry_entry;

/* A place in a list. It has 12 bytes, so that the few places of a short list are in one cache
 * line. */
typedef struct rdi_expiry_place {
    uint32_t number;              /* number of the object */
    uint32_t time_low, time_high; /* the two halves of the time */
} rdi_expiry_place;

/* An array of a list. It has four cache lines. */
typedef struct rdi_expiry_places {
    uint32_t next;  /* next array of the list, as an index; 0: none */
    uint32_t after; /* the array after the next one, for prefetching; 0: none */
    uint32_t n;     /* number of places in use, if this is not the first array of its list */
    uint32_t unused;
    rdi_expiry_place place[RDI_EXPIRY_PLACES];
} rdi_expiry_places;

typedef struct rdi_expiry_queue {
    rdi_cached *object;
    rdi_expiry_entry *entry; /* indexed by the number of the object */
    uint64_t room;           /* number of objects that fit; 0 until the first lifetime */
    rdi_expiry_places *array;
    uint64_t array_room;
    uint32_t free;   /* first array of the chain of unused arrays; 0: none */
    uint64_t fresh;  /* index of the first array that was never used; array 0 is not used */
    uint64_t places; /* number of places in all lists, stale places included */
    uint64_t ahead;  /* the time of the wheel */
    uint64_t now;    /* the time of the present request */
    size_t present;  /* number of the request of the latest rdi_expiry_reach() */
    size_t end;      /* number of the last request for which the wheel has advanced, plus 1 */
    uint64_t time[RDI_EXPIRY_AHEAD];  /* times of the last requests before `end`: request i has
                                        element i % RDI_EXPIRY_AHEAD */
    uint32_t first[RDI_EXPIRY_LISTS]; /* first array of each list; 0: the list is empty. The lists
                                         of the wheel come first, then those of the requests. */
    uint8_t filled[RDI_EXPIRY_LISTS]; /* number of places in use of the first array of each list;
                                             RDI_EXPIRY_PLACES if the list is empty */
    uint64_t used[RDI_EXPIRY_WHEEL / 64]; /* one bit per list of the wheel that is not empty */
    uint32_t due[RDI_EXPIRY_DUE]; /* numbers of objects that were put into the list of a request
                                             since the last call of rdi_expiry_announce() */
    unsigned n_due;
} rdi_expiry_queue;

/* Receives the numbers of n objects. */
typedef void rdi_expiry_receive(void *user, const uint32_t *number, unsigned n);

void rdi_expiry_fini(rdi_expiry_queue *q, rd_ctx *ctx); /* a zeroed queue is allowed */
/* Makes room for `step` more objects than the table has, and for `step` calls of rdi_expiry_set()
 * before the next call of this function; `step` is at most RDI_EXPIRY_STEP. The table must have
 * room for the objects already. The lists of all requests must be empty; afterwards, requests are
 * numbered from 0 again. A new queue begins at the time `now`. */
rd_status rdi_expiry_room(rdi_expiry_queue *q, rd_ctx *ctx, const rdi_object_table *t,
                          uint64_t step, uint64_t now);

/* Advances the wheel to the times of requests `begin` to `end` - 1, so that each of them gets the
 * list of the objects that expire at its time. Prefetches these objects. An earlier time than the latest
 * one counts as the latest one. Requests must come in their order, and at most RDI_EXPIRY_AHEAD of
 * them may be waiting for rdi_expiry_reach(). */
void rdi_expiry_advance(rdi_expiry_queue *q, const uint64_t *time, size_t begin, size_t end);

/* Passes to `announce` the objects that were put into the list of a request since the last call of
 * this function, so that it can prefetch what `expired` needs. If there are more than
 * RDI_EXPIRY_DUE of them, passes only the first ones. */
void rdi_expiry_announce(rdi_expiry_queue *q, rdi_expiry_receive *announce, void *user);

void rdi_expiry_visit(rdi_expiry_queue *q, rdi_expiry_receive *expired, void *user);

/* Advances the present time to `now`, the time of request i, and passes the objects whose lifetime
 * has ended to `expired`. They have no lifetime afterwards. */
static inline void rdi_expiry_reach(rdi_expiry_queue *q, size_t i, uint64_t now,
                                    rdi_expiry_receive *expired, void *user) {
    q->now = now;
    q->present = i;
    if (q->first[RDI_EXPIRY_WHEEL + i % RDI_EXPIRY_AHEAD])
        rdi_expiry_visit(q, expired, user);
}

/* Sets the time at which an object expires: after the present time, or 0 for never. */
void rdi_expiry_set(rdi_expiry_queue *q, uint32_t number, uint64_t time);

#endif
