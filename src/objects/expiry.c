/* Implements the queue of expirations. See expiry.h. */
#include "objects/expiry.h"

#include <string.h>

#define DIGIT_BITS  10
#define VALUES      (UINT64_C(1) << DIGIT_BITS)
#define STALE_LEAST RDI_EXPIRY_STEP /* number of stale places that are always tolerated */

void rdi_expiry_fini(rdi_expiry_queue *q, rd_ctx *ctx) {
    rdi_pages_free(ctx, q->entry, (size_t)q->room * sizeof *q->entry);
    rdi_pages_free(ctx, q->array, (size_t)q->array_room * sizeof *q->array);
}

/* ---- lists ---- */

/* Returns the index of the list of the wheel for objects that expire at `time`. See expiry.h. */
static unsigned list_of(uint64_t now, uint64_t time) {
    uint64_t differ = time ^ now;
    unsigned digit = differ ? (rdi_bit_width(differ) - 1) / DIGIT_BITS : 0;
    return digit << DIGIT_BITS | ((unsigned)(time >> DIGIT_BITS * digit) & (VALUES - 1));
}

/* Returns the index of the list of the first request from `begin` on whose time is at least `time`.
 * There is such a request, because `time` is at most the time of request `end` - 1. Only the last
 * RDI_EXPIRY_AHEAD requests are searched, because the queue knows no other times. */
static unsigned list_of_request(const rdi_expiry_queue *q, size_t begin, uint64_t time) {
    if (q->end > begin + RDI_EXPIRY_AHEAD)
        begin = q->end - RDI_EXPIRY_AHEAD;
    size_t n = q->end - begin;
    while (n > 1) {
        size_t half = n / 2;
        bool later = q->time[(begin + half - 1) % RDI_EXPIRY_AHEAD] < time;
        begin += -(size_t)later & half; /* without a branch, which would be unpredictable */
        n -= half;
    }
    return RDI_EXPIRY_WHEEL + (unsigned)(begin % RDI_EXPIRY_AHEAD);
}

static uint64_t time_of(const rdi_expiry_place *p) {
    return (uint64_t)p->time_high << 32 | p->time_low;
}

/* Makes an array with n places the first one of a list. */
static void put_first(rdi_expiry_queue *q, unsigned list, uint32_t at, unsigned n) {
    uint32_t next = q->first[list];
    q->array[next].n = q->filled[list];
    q->array[at].next = next;
    q->array[at].after = q->array[next].next;
    q->first[list] = at;
    q->filled[list] = (uint8_t)n;
}

/* Empties a list. Returns its first array. */
static uint32_t take_list(rdi_expiry_queue *q, unsigned list) {
    uint32_t at = q->first[list];
    q->array[at].n = q->filled[list];
    q->first[list] = 0;
    q->filled[list] = RDI_EXPIRY_PLACES;
    return at;
}

/* Appends a place to a list. The function only writes to the array, so it does not wait for the
 * memory of the array. */
static void append(rdi_expiry_queue *q, unsigned list, uint32_t number, uint64_t time) {
    if (q->filled[list] == RDI_EXPIRY_PLACES) {
        uint32_t at = q->free ? q->free : (uint32_t)q->fresh++;
        q->free = q->free ? q->array[at].next : 0;
        RDI_PREFETCH(&q->array[q->free]);
        put_first(q, list, at, 0);
        if (list < RDI_EXPIRY_WHEEL)
            q->used[list / 64] |= UINT64_C(1) << list % 64;
    }
    q->array[q->first[list]].place[q->filled[list]++] =
        (rdi_expiry_place){number, (uint32_t)time, (uint32_t)(time >> 32)};
    q->places++;
}

/* Appends a place for an object that expires after the present time. */
static void place(rdi_expiry_queue *q, uint32_t number, uint64_t time) {
    q->entry[number].placed = time;
    append(q, time > q->ahead ? list_of(q->ahead, time) : list_of_request(q, q->present + 1, time),
           number, time);
}

/* Puts array `at`, whose places were visited or moved, into the chain of unused arrays. Returns the
 * array that followed it in its list. */
static uint32_t drop_array(rdi_expiry_queue *q, uint32_t at) {
    uint32_t next = q->array[at].next;
    q->places -= q->array[at].n;
    q->array[at].next = q->free;
    q->free = at;
    return next;
}

/* ---- memory ---- */

/* Makes all lists anew, with one place for each object that will expire. */
static void remake(rdi_expiry_queue *q, uint64_t objects) {
    memset(q->first, 0, sizeof q->first);
    memset(q->used, 0, sizeof q->used);
    memset(q->filled, RDI_EXPIRY_PLACES, sizeof q->filled);
    q->free = 0;
    q->fresh = 1;
    q->places = 0;
    for (uint64_t i = 0; i < objects; i++) {
        q->entry[i].placed = 0;
        if (q->object[i].end)
            place(q, (uint32_t)i, q->object[i].end);
    }
}

rd_status rdi_expiry_room(rdi_expiry_queue *q, rd_ctx *ctx, const rdi_object_table *t,
                          uint64_t step, uint64_t now) {
    uint64_t n = t->n + step;
    void *p = q->entry;
    rd_status status = RD_OK;
    q->object = t->object;
    q->present = q->end = 0;
    if (!q->room) {
        q->ahead = q->now = now;
        q->fresh = 1;
        memset(q->filled, RDI_EXPIRY_PLACES, sizeof q->filled);
    }
    if (RDI_UNLIKELY(n > q->room))
        status = rdi_pages_grow_array(ctx, &p, &q->room, n + n / 2, sizeof *q->entry);
    q->entry = p;
    RD_TRY(status);
    if (q->places + step > 2 * q->room + STALE_LEAST)
        remake(q, t->n);
    /* In addition to full arrays, each list can have one array that is not full, and each list of the
     * wheel can have moved such an array to the list of a request. Array 0 is not used, and two arrays
     * are being moved or visited. */
    uint64_t places = q->places + step;
    uint64_t arrays = 3 + places / RDI_EXPIRY_PLACES + RDI_EXPIRY_WHEEL + RDI_EXPIRY_LISTS;
    arrays = arrays < 2 + places ? arrays : 2 + places;
    if (RDI_LIKELY(arrays <= q->array_room))
        return RD_OK;
    p = q->array;
    status = rdi_pages_grow_array(ctx, &p, &q->array_room, arrays + arrays / 4, sizeof *q->array);
    q->array = p;
    return status;
}

/* ---- times ---- */

void rdi_expiry_set(rdi_expiry_queue *q, uint32_t number, uint64_t time) {
    uint64_t placed = q->entry[number].placed;
    q->object[number].end = time;
    if (time && (placed <= q->now || time < placed))
        place(q, number, time);
}

static void prefetch_array(const rdi_expiry_queue *q, uint32_t at) {
    const char *line = (const char *)&q->array[at];
    for (size_t i = 0; i < sizeof *q->array; i += 64)
        RDI_PREFETCH(line + i);
}

/* Prefetches an object that is due. */
static void note_due(rdi_expiry_queue *q, uint32_t number) {
    RDI_PREFETCH(&q->object[number]);
    if (q->n_due < RDI_EXPIRY_DUE)
        q->due[q->n_due++] = number;
}

/* Returns whether all places of an array have the same time. This is true of most arrays if the times of
 * the trace are whole seconds. */
static bool has_one_time(const rdi_expiry_places *a) {
    uint32_t differ = 0;
    for (unsigned i = 1; i < a->n; i++)
        differ |= (a->place[i].time_low ^ a->place[0].time_low) |
                  (a->place[i].time_high ^ a->place[0].time_high);
    return differ == 0;
}

/* Moves the places of an array to the lists of the requests from `begin` on or, if they are not due
 * yet, back to the wheel. If all places have the same time and are due, the array itself moves.
 * Returns the next array. */
static uint32_t move_array(rdi_expiry_queue *q, uint32_t at, size_t begin) {
    rdi_expiry_places *a = &q->array[at];
    uint64_t time = time_of(&a->place[0]);
    if (time <= q->ahead && has_one_time(a)) {
        uint32_t next = a->next;
        for (unsigned i = 0; i < a->n; i++)
            note_due(q, a->place[i].number);
        put_first(q, list_of_request(q, begin, time), at, a->n);
        return next;
    }
    for (unsigned i = 0; i < a->n; i++) {
        uint32_t number = a->place[i].number;
        time = time_of(&a->place[i]);
        bool due = time <= q->ahead;
        if (due)
            note_due(q, number);
        append(q, due ? list_of_request(q, begin, time) : list_of(q->ahead, time), number, time);
    }
    return drop_array(q, at);
}

/* Moves the places of lists `from` to `to` - 1 of the wheel. */
static void move_lists(rdi_expiry_queue *q, unsigned from, unsigned to, size_t begin) {
    for (unsigned list = from; list < to; list++) {
        uint64_t rest = q->used[list / 64] >> list % 64;
        if (!rest) {
            list |= 63; /* continue with the next word of q->used */
            continue;
        }
        list += (unsigned)__builtin_ctzll(rest);
        if (list >= to)
            break;
        uint32_t chain = take_list(q, list);
        q->used[list / 64] &= ~(UINT64_C(1) << list % 64);
        while (chain) {
            prefetch_array(q, q->array[chain].after);
            chain = move_array(q, chain, begin);
        }
    }
}

/* Prefetches the lists of the next `span` nanoseconds, which the next call of rdi_expiry_advance() will
 * probably move. The order of the lists in the wheel is the order of their times. */
static void prefetch_lists(const rdi_expiry_queue *q, uint64_t span) {
    unsigned last = list_of(q->ahead, q->ahead + span), most = RDI_EXPIRY_AHEAD;
    for (unsigned i = 0; i <= last / 64; i++)
        for (uint64_t rest = q->used[i]; rest && most; rest &= rest - 1, most--)
            RDI_PREFETCH(&q->array[q->first[i * 64 + (unsigned)__builtin_ctzll(rest)]]);
}

/* Let D be the highest digit that changes, and v the value of digit D in the new time. All times in
 * the lists of digits below D have passed, and also all times in the lists of D for values below v.
 * Only the list of D for v itself can also have later times. Places with later times move to lists
 * of lower digits, which are empty by then. */
void rdi_expiry_advance(rdi_expiry_queue *q, const uint64_t *time, size_t begin, size_t end) {
    uint64_t before = q->ahead, now = before;
    for (size_t i = begin; i < end; i++)
        q->time[i % RDI_EXPIRY_AHEAD] = now = time[i] > now ? time[i] : now;
    q->end = end;
    if (now == before)
        return;
    unsigned last = list_of(before, now), digit = last >> DIGIT_BITS;
    unsigned from =
        digit << DIGIT_BITS | ((unsigned)(before >> DIGIT_BITS * digit) & (unsigned)(VALUES - 1));
    q->ahead = now;
    move_lists(q, 0, digit << DIGIT_BITS, begin);
    move_lists(q, from, last + 1, begin);
    prefetch_lists(q, now - before);
}

void rdi_expiry_announce(rdi_expiry_queue *q, rdi_expiry_receive *announce, void *user) {
    for (unsigned i = 0; i < q->n_due; i++)
        RDI_PREFETCH(&q->entry[q->due[i]]);
    announce(user, q->due, q->n_due);
    q->n_due = 0;
}

/* Visits all places of the list of the present request. A place is dropped if its object expires now or
 * never, or has another place. All other objects expire later, and get a new place. */
void rdi_expiry_visit(rdi_expiry_queue *q, rdi_expiry_receive *expired, void *user) {
    uint32_t at = take_list(q, RDI_EXPIRY_WHEEL + (unsigned)(q->present % RDI_EXPIRY_AHEAD));
    while (at) {
        const rdi_expiry_places *a = &q->array[at], *next = &q->array[a->next];
        uint32_t over[RDI_EXPIRY_PLACES];
        unsigned n = 0;
        for (unsigned i = 0; a->next && i < next->n; i++)
            RDI_PREFETCH(&q->object[next->place[i].number]);
        for (unsigned i = 0; i < a->n; i++) {
            uint32_t number = a->place[i].number;
            rdi_cached *x = &q->object[number];
            if (x->end - 1 < q->now) { /* not if `end` is 0 */
                x->end = 0;
                over[n++] = number;
            } else if (x->end && q->entry[number].placed == time_of(&a->place[i])) {
                place(q, number, x->end);
            }
        }
        at = drop_array(q, at);
        if (n)
            expired(user, over, n);
    }
}
