/* Implements the order of lockstep from its definition in docs/threads.md. */
#include "interleave_oracle.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct oracle {
    const oracle_record *records;
    size_t n;
    uint64_t room;
    bool *delivered;
    size_t d; /* number of delivered records */
    size_t *order;
} oracle;

static void deliver(oracle *o, size_t i) {
    o->delivered[i] = true;
    o->order[o->d++] = i;
}

static bool is_in_sight(const oracle *o, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (o->records[k].kind == ORACLE_WALL && !o->delivered[k])
            return false;
    return i < o->d + o->room;
}

/* Returns the first byte after the memory of a record. */
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

static bool waits_for(const oracle *o, size_t i, size_t k) {
    const oracle_record *a = &o->records[i], *r = &o->records[k];
    if (o->delivered[k] || k >= i)
        return false;
    if (a->kind == ORACLE_SYNC_ACQUIRE && (a->address & 0xffffffffffff) == 0)
        return true;
    if (a->thread == r->thread)
        return false;
    if (a->kind == ORACLE_SYNC_ACQUIRE)
        return r->kind == ORACLE_SYNC_RELEASE && r->address == a->address &&
               (a->size == 0 || r->size <= a->size);
    return a->kind == ORACLE_ALLOCATE && r->kind == ORACLE_RELEASE && r->address < end_of(o, i) &&
           a->address < end_of(o, k);
}

/* Returns the index of the next record of a thread that was not delivered, or n if there is none. */
static size_t next_of(const oracle *o, uint32_t thread) {
    size_t i = 0;
    while (i < o->n &&
           (o->delivered[i] || o->records[i].kind == ORACLE_WALL || o->records[i].thread != thread))
        i++;
    return i;
}

static bool is_runnable(const oracle *o, uint32_t thread) {
    size_t i = next_of(o, thread);
    if (i == o->n || !is_in_sight(o, i))
        return false;
    for (size_t k = 0; k < i; k++)
        if (waits_for(o, i, k))
            return false;
    return true;
}

static void deliver_walls(oracle *o) {
    for (size_t i = 0; i < o->n; i++) {
        if (o->delivered[i])
            continue;
        if (o->records[i].kind != ORACLE_WALL)
            return;
        deliver(o, i);
    }
}

static bool is_overflow(const oracle *o, uint32_t thread) {
    size_t in_sight = 0, before = 0;
    for (size_t i = 0; i < o->n; i++) {
        bool wall = o->records[i].kind == ORACLE_WALL;
        in_sight += !wall && !o->delivered[i] && is_in_sight(o, i);
        before += !wall && o->delivered[i] && o->records[i].thread == thread;
    }
    size_t next = next_of(o, thread);
    return in_sight == o->room && before > 0 && next < o->n && !is_in_sight(o, next) &&
           o->records[next].kind != ORACLE_SYNC_ACQUIRE;
}

static void take_turn(oracle *o, uint32_t thread, uint64_t turn) {
    for (uint64_t references = 0; references < turn && is_runnable(o, thread);) {
        size_t i = next_of(o, thread);
        references += o->records[i].kind == ORACLE_REFERENCE;
        deliver(o, i);
        deliver_walls(o);
    }
}

uint64_t oracle_interleave(const oracle_record *records, size_t n, uint64_t turn, uint64_t room,
                           size_t *order) {
    oracle o = {records, n, room, calloc(n + 1, sizeof(bool)), 0, order};
    uint32_t threads = 0, had = 0;
    uint64_t overflows = 0;
    bool first = true;
    for (size_t i = 0; i < n; i++)
        if (records[i].thread >= threads)
            threads = records[i].thread + 1;
    deliver_walls(&o);
    while (o.d < n) {
        uint32_t next = first ? 0 : (had + 1) % threads;
        while (!is_runnable(&o, next))
            next = (next + 1) % threads;
        for (uint32_t t = first ? next : (had + 1) % threads; t != next; t = (t + 1) % threads)
            overflows += is_overflow(&o, t);
        take_turn(&o, next, turn);
        had = next;
        first = false;
    }
    free(o.delivered);
    return overflows;
}
