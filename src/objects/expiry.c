/* Implements the queue of expirations. See expiry.h. */
#include "objects/expiry.h"

#define DIGIT_BITS  8
#define AHEAD       3     /* number of lists that are prefetched */
#define CACHED      16384 /* nothing is prefetched for up to so many places: it is cached anyway */
#define STALE_LEAST RDI_EXPIRY_STEP /* number of stale places that are always tolerated */

void rdi_expiry_fini(rdi_expiry_queue *q, rd_ctx *ctx) {
    rdi_pages_free(ctx, q->entry, (size_t)q->room * sizeof *q->entry);
    rdi_pages_free(ctx, q->array, (size_t)q->array_room * sizeof *q->array);
}

/* ---- lists ---- */

/* Returns the index of the list for objects that expire at `time`. See expiry.h. */
static unsigned list_of(uint64_t now, uint64_t time) {
    uint64_t differ = time ^ now;
    unsigned digit = differ ? (rdi_bit_width(differ) - 1) / DIGIT_BITS : 0;
    return digit << DIGIT_BITS | ((unsigned)(time >> DIGIT_BITS * digit) & 255);
}

static void place(rdi_expiry_queue *q, uint32_t number) {
    rdi_expiry_entry *e = &q->entry[number];
    e->placed = e->time;
    unsigned list = list_of(q->now, e->time);
    uint32_t at = q->first[list];
    if (!at || q->array[at].n == RDI_EXPIRY_PLACES) {
        uint32_t taken = q->free ? q->free : (uint32_t)q->fresh++;
        q->free = q->free ? q->array[taken].next : 0;
        q->array[taken].next = at;
        q->array[taken].list = (uint16_t)list;
        q->array[taken].n = 0;
        q->first[list] = at = taken;
        q->used[list / 64] |= UINT64_C(1) << list % 64;
    }
    q->array[at].number[q->array[at].n++] = number;
    q->places++;
}

/* Takes lists `from` to `to` - 1 out of the queue, and puts their arrays before the arrays of
 * `chain`. Returns the first array of the longer chain. */
static uint32_t take_lists(rdi_expiry_queue *q, unsigned from, unsigned to, uint32_t chain) {
    for (unsigned list = from; list < to; list++) {
        uint64_t rest = q->used[list / 64] >> list % 64;
        if (!rest) {
            list |= 63; /* continue with the next word of q->used */
            continue;
        }
        list += (unsigned)__builtin_ctzll(rest);
        if (list >= to)
            break;
        uint32_t at = q->first[list];
        while (q->array[at].next)
            at = q->array[at].next;
        q->array[at].next = chain;
        chain = q->first[list];
        q->first[list] = 0;
        q->used[list / 64] &= ~(UINT64_C(1) << list % 64);
    }
    return chain;
}

/* Visits all places of a chain that was taken out when the time was `before`. Drops stale places
 * and the places of objects that will never expire. Objects whose time of expiry is reached expire,
 * and all other objects get a new place. */
static void visit(rdi_expiry_queue *q, uint32_t chain, uint64_t before, rdi_expired *expired,
                  void *user) {
    while (chain) {
        rdi_expiry_places a = q->array[chain];
        uint32_t next = a.next, over[RDI_EXPIRY_PLACES];
        unsigned n = 0;
        RDI_PREFETCH(&q->array[next]);
        for (unsigned i = 0; i < a.n; i++)
            RDI_PREFETCH(&q->entry[a.number[i]]);
        q->array[chain].next = q->free;
        q->free = chain;
        q->places -= a.n;
        for (unsigned i = 0; i < a.n; i++) {
            rdi_expiry_entry *e = &q->entry[a.number[i]];
            if (e->placed == RDI_EXPIRY_NEVER || list_of(before, e->placed) != a.list)
                continue;
            e->placed = RDI_EXPIRY_NEVER;
            if (e->time > q->now) {
                if (e->time != RDI_EXPIRY_NEVER)
                    place(q, a.number[i]);
                continue;
            }
            e->time = RDI_EXPIRY_NEVER;
            over[n++] = a.number[i];
        }
        if (n)
            expired(user, over, n);
        chain = next;
    }
}

/* Finds the first array of each of the next AHEAD lists. All lists have later times than the present
 * one, so the order of their indices is the order of their times. */
static unsigned find_next(const rdi_expiry_queue *q, uint32_t array[AHEAD]) {
    unsigned n = 0;
    for (unsigned i = 0; i < RDI_EXPIRY_LISTS / 64; i++)
        for (uint64_t rest = q->used[i]; rest; rest &= rest - 1) {
            array[n++] = q->first[i * 64 + (unsigned)__builtin_ctzll(rest)];
            if (n == AHEAD)
                return n;
        }
    return n;
}

/* Announces the objects of the next two lists, and prefetches the entries of the third list. If few
 * objects expire at a time, the caller would otherwise wait for the memory of each of them. */
static void look_ahead(const rdi_expiry_queue *q, rdi_expiry_announce *announce, void *user) {
    uint32_t array[AHEAD];
    unsigned n = find_next(q, array);
    for (unsigned k = 0; k < n; k++) {
        const rdi_expiry_places *a = &q->array[array[k]];
        uint32_t due[RDI_EXPIRY_PLACES];
        unsigned n_due = 0;
        for (unsigned i = 0; i < a->n; i++) {
            const rdi_expiry_entry *e = &q->entry[a->number[i]];
            if (k == AHEAD - 1)
                RDI_PREFETCH(e);
            else if (e->time == e->placed)
                due[n_due++] = a->number[i];
        }
        if (n_due)
            announce(user, due, n_due, k == 0);
    }
}

/* ---- memory ---- */

static void nothing_expires(void *user, const uint32_t *number, unsigned n) {
    (void)user;
    (void)number;
    (void)n;
}

rd_status rdi_expiry_room(rdi_expiry_queue *q, rd_ctx *ctx, uint64_t n, uint64_t step,
                          uint64_t now) {
    if (q->room && q->places + step > 2 * q->room + STALE_LEAST)
        visit(q, take_lists(q, 0, RDI_EXPIRY_LISTS, 0), q->now, nothing_expires, NULL);
    if (RDI_LIKELY(n <= q->room))
        return RD_OK;
    uint64_t before = q->room, to = n + n / 2;
    /* Besides full arrays, every list can have an array that is not full, and so can every list
     * that was taken out. */
    uint64_t arrays = (2 * to + STALE_LEAST) / RDI_EXPIRY_PLACES + 3 * RDI_EXPIRY_LISTS;
    void *p = q->array;
    rd_status status = rdi_pages_grow_array(ctx, &p, &q->array_room, arrays, sizeof *q->array);
    q->array = p;
    RD_TRY(status);
    p = q->entry;
    status = rdi_pages_grow_array(ctx, &p, &q->room, to, sizeof *q->entry);
    q->entry = p;
    for (uint64_t i = before; i < q->room; i++)
        q->entry[i] = (rdi_expiry_entry){RDI_EXPIRY_NEVER, RDI_EXPIRY_NEVER};
    if (!before) {
        q->now = now;
        q->fresh = 1;
    }
    return status;
}

/* ---- times ---- */

void rdi_expiry_set(rdi_expiry_queue *q, uint32_t number, uint64_t time) {
    rdi_expiry_entry *e = &q->entry[number];
    e->time = time;
    if (time < e->placed)
        place(q, number);
}

/* Let D be the highest digit that changes. The lists of all digits below D have only times that
 * have passed, and so have the lists of D whose value is smaller than the one in `now`. Only the
 * list of D with the same value as in `now` can also have times after `now`. */
void rdi_expiry_advance(rdi_expiry_queue *q, uint64_t now, rdi_expired *expired,
                        rdi_expiry_announce *announce, void *user) {
    uint64_t before = q->now;
    now = now < RDI_EXPIRY_NEVER ? now : RDI_EXPIRY_NEVER - 1; /* nothing expires at "never" */
    if (now <= before)
        return;
    unsigned last = list_of(before, now), digit = last >> DIGIT_BITS;
    uint32_t chain = take_lists(q, 0, digit << DIGIT_BITS, 0);
    unsigned from = digit << DIGIT_BITS | ((unsigned)(before >> DIGIT_BITS * digit) & 255);
    chain = take_lists(q, from, last + 1, chain);
    q->now = now;
    visit(q, chain, before, expired, user);
    if (chain && q->places > CACHED)
        look_ahead(q, announce, user);
}
