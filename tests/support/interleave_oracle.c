/* Implements the order of lockstep from its definition in docs/threads.md. */
#include "interleave_oracle.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct oracle {
    const oracle_record *records;
    size_t n;
    uint64_t room;
    size_t *lane;   /* for each record, the number of its thread in the order of turns */
    size_t *number; /* for each record, the number of records before it that are not walls */
    size_t
        *wall; /* for each record, 1 + the index of the last wall of its process before it, or 0 */
    bool *delivered;
    bool *seen; /* for each thread, whether its first record was in sight */
    uint64_t
        *late; /* for each thread, the turns that it missed before that and has not had since */
    size_t d, walls; /* number of delivered records that are not walls, and of delivered walls */
    size_t *order;
} oracle;

static bool is_wall(const oracle *o, size_t i) {
    return o->records[i].kind == ORACLE_WALL;
}

static void deliver(oracle *o, size_t i) {
    o->delivered[i] = true;
    o->order[o->d + o->walls] = i;
    *(is_wall(o, i) ? &o->walls : &o->d) += 1;
}

static bool is_in_sight(const oracle *o, size_t i) {
    return o->number[i] < o->d + o->room;
}

/* Returns the first address after the memory of a record. A release of size 0 releases the last allocation
 * before it at its address. It releases one byte if there is no such allocation, or if another release of size
 * 0 at this address lies in between. */
static uint64_t end_of(const oracle *o, size_t i) {
    const oracle_record *r = &o->records[i];
    uint64_t size = r->size ? r->size : 1;
    for (size_t k = i; r->kind == ORACLE_RELEASE && !r->size && k-- > 0;) {
        const oracle_record *before = &o->records[k];
        if (before->address != r->address)
            continue;
        if (before->kind == ORACLE_RELEASE && !before->size)
            break;
        if (before->kind == ORACLE_ALLOCATE) {
            size = before->size ? before->size : 1;
            break;
        }
    }
    return r->address + size;
}

/* Returns whether the thread of record i comes before that of record k in the order of turns. */
static bool is_lower(const oracle *o, size_t i, size_t k) {
    const oracle_record *x = &o->records[i], *y = &o->records[k];
    return x->process != y->process ? x->process < y->process : x->thread < y->thread;
}

/* Sets `number` and `wall` of all records. */
static void number_records(oracle *o) {
    size_t records = 0;
    for (size_t i = 0; i < o->n; i++) {
        o->number[i] = records;
        records += !is_wall(o, i);
        for (size_t k = 0; k < i; k++)
            if (is_wall(o, k) && o->records[k].process == o->records[i].process)
                o->wall[i] = k + 1;
    }
}

/* Numbers the threads from 0 in the order of turns, and returns how many there are. */
static size_t number_threads(oracle *o) {
    size_t threads = 0;
    bool more = true;
    for (size_t i = 0; i < o->n; i++)
        o->lane[i] = SIZE_MAX;
    for (; more; threads += more) {
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < o->n; i++)
            if (o->lane[i] == SIZE_MAX && (least == SIZE_MAX || is_lower(o, i, least)))
                least = i;
        more = least != SIZE_MAX;
        for (size_t i = 0; i < o->n; i++)
            if (more && !is_lower(o, i, least) && !is_lower(o, least, i))
                o->lane[i] = threads;
    }
    return threads;
}

/* Returns whether records i and k belong to one process and a wall of this process lies between
 * them. k must be below i. */
static bool waits_for_wall(const oracle *o, size_t i, size_t k) {
    return o->records[k].process == o->records[i].process && k + 1 < o->wall[i];
}

static bool waits_for(const oracle *o, size_t i, size_t k) {
    const oracle_record *a = &o->records[i], *r = &o->records[k];
    if (o->delivered[k] || k >= i || is_wall(o, k))
        return false;
    if (waits_for_wall(o, i, k))
        return true;
    if (a->kind == ORACLE_SYNC_ACQUIRE && (a->address & 0xffffffffffff) == 0)
        return true;
    if (o->lane[i] == o->lane[k])
        return false;
    if (a->kind == ORACLE_SYNC_ACQUIRE)
        return r->kind == ORACLE_SYNC_RELEASE && r->address == a->address &&
               (a->size == 0 || r->size <= a->size);
    return a->kind == ORACLE_ALLOCATE && r->kind == ORACLE_RELEASE && r->address < end_of(o, i) &&
           a->address < end_of(o, k);
}

/* Returns the index of a thread's first record that is neither a wall nor delivered, or n if there
 * is none. */
static size_t next_of(const oracle *o, size_t thread) {
    size_t i = 0;
    while (i < o->n && (o->delivered[i] || is_wall(o, i) || o->lane[i] != thread))
        i++;
    return i;
}

static bool is_runnable(const oracle *o, size_t thread) {
    size_t i = next_of(o, thread);
    if (i == o->n || !is_in_sight(o, i))
        return false;
    for (size_t k = 0; k < i; k++)
        if (waits_for(o, i, k))
            return false;
    return true;
}

/* Delivers the walls of a process before record i. */
static void deliver_walls(oracle *o, uint32_t process, size_t i) {
    for (size_t w = 0; w < i; w++)
        if (is_wall(o, w) && !o->delivered[w] && o->records[w].process == process)
            deliver(o, w);
}

/* Returns whether a record of this process that is in sight waits because of a wall. */
static bool wall_holds(const oracle *o, uint32_t process) {
    size_t first = 0;
    while (first < o->n &&
           (o->delivered[first] || is_wall(o, first) || o->records[first].process != process))
        first++;
    for (size_t i = first; i < o->n; i++)
        if (o->records[i].process == process && !is_wall(o, i) && !o->delivered[i] &&
            is_in_sight(o, i) && waits_for_wall(o, i, first))
            return true;
    return false;
}

static bool is_overflow(const oracle *o, size_t thread) {
    size_t in_sight = 0, before = 0;
    for (size_t i = 0; i < o->n; i++) {
        bool wall = is_wall(o, i);
        in_sight += !wall && !o->delivered[i] && is_in_sight(o, i);
        before += !wall && o->delivered[i] && o->lane[i] == thread;
    }
    size_t next = next_of(o, thread);
    return in_sight == o->room && before > 0 && next < o->n && !is_in_sight(o, next) &&
           o->records[next].kind != ORACLE_SYNC_ACQUIRE && !wall_holds(o, o->records[next].process);
}

/* Notes for each thread whose first record has come into sight since the last call how many turns it missed before
 * that: with a full reorder buffer, `rounds` rounds of turns began before. */
static void note_late(oracle *o, size_t threads, uint64_t rounds) {
    for (size_t t = 0; t < threads; t++) {
        size_t i = 0;
        while (i < o->n && (is_wall(o, i) || o->lane[i] != t))
            i++;
        if (i == o->n || o->seen[t] || !(o->delivered[i] || is_in_sight(o, i)))
            continue;
        o->seen[t] = true;
        o->late[t] = o->records[i].kind == ORACLE_SYNC_ACQUIRE || o->wall[i] > 0 ? 0 : rounds;
    }
}

static bool is_full(const oracle *o) {
    uint64_t in_sight = 0;
    for (size_t i = 0; i < o->n; i++)
        in_sight += !is_wall(o, i) && !o->delivered[i] && is_in_sight(o, i);
    return in_sight == o->room;
}

static void take_turn(oracle *o, size_t thread, uint64_t turn) {
    for (uint64_t references = 0; references < turn && is_runnable(o, thread);) {
        size_t i = next_of(o, thread);
        references += o->records[i].kind == ORACLE_REFERENCE;
        deliver_walls(o, o->records[i].process, i);
        deliver(o, i);
    }
}

uint64_t oracle_interleave(const oracle_record *records, size_t n, uint64_t turn, uint64_t room,
                           size_t *order) {
    oracle o = {.records = records,
                .n = n,
                .room = room,
                .lane = calloc(n + 1, sizeof(size_t)),
                .number = calloc(n + 1, sizeof(size_t)),
                .wall = calloc(n + 1, sizeof(size_t)),
                .delivered = calloc(n + 1, sizeof(bool)),
                .seen = calloc(n + 1, sizeof(bool)),
                .late = calloc(n + 1, sizeof(uint64_t)),
                .order = order};
    number_records(&o);
    size_t threads = number_threads(&o), had = 0, records_only = 0;
    uint64_t overflows = 0, rounds = 0;
    uint32_t last_process = 0;
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        records_only += !is_wall(&o, i);
        last_process = records[i].process > last_process ? records[i].process : last_process;
    }
    while (o.d < records_only) {
        size_t next = first ? 0 : (had + 1) % threads;
        while (!is_runnable(&o, next))
            next = (next + 1) % threads;
        for (size_t t = first ? next : (had + 1) % threads; t != next; t = (t + 1) % threads)
            overflows += is_overflow(&o, t);
        note_late(&o, threads, rounds);
        overflows += o.late[next] > 0;
        o.late[next] -= o.late[next] > 0;
        rounds += !first && next <= had && is_full(&o);
        take_turn(&o, next, turn);
        had = next;
        first = false;
    }
    for (uint32_t process = 0; process <= last_process; process++)
        deliver_walls(&o, process, n);
    free(o.number);
    free(o.wall);
    free(o.lane);
    free(o.delivered);
    free(o.seen);
    free(o.late);
    return overflows;
}
