/* The events in the reorder buffer of an interleaved trace, and the search for the events that they wait
 * for. docs/threads.md has the definitions. */
#ifndef RDI_INTERLEAVE_WAITS_H
#define RDI_INTERLEAVE_WAITS_H

#include "trace/events.h"

#define RDI_NO_EVENT SIZE_MAX

/* An event in the reorder buffer. Events that other events can wait for are in a list, in recorded order. */
typedef struct rdi_held_event {
    rd_event event;    /* its path is a copy */
    uint64_t position; /* number of the record in recorded order; UINT64_MAX: the entry is free */
    uint64_t last;     /* release of memory: address of the last byte */
    size_t list;       /* index of its list, or RDI_NO_EVENT */
    size_t before, after; /* neighbors in the list; `after` also links free entries */
} rdi_held_event;

typedef struct rdi_waits_list {
    size_t first, last;
} rdi_waits_list;

typedef struct rdi_waits {
    rd_ctx *ctx;
    rdi_held_event *held;
    size_t room, free; /* number of entries, and the first free one */
    rdi_waits_list *lists;
    uint64_t *sizes; /* hash table of pairs: address and size of allocations; size 0: no entry */
    size_t n_sizes, sizes_room;
} rdi_waits;

rd_status rdi_waits_init(rdi_waits *w, rd_ctx *ctx);
/* Adds an event, which is record `position`, and sets *index to its entry. */
rd_status rdi_waits_add(rdi_waits *w, const rd_event *event, uint64_t position, size_t *index);
/* Returns the entry of an event that the event at `index` waits for, or RDI_NO_EVENT if there is none.
 * The function must not be called for an acquire of everything. */
size_t rdi_waits_find(const rdi_waits *w, size_t index);
void rdi_waits_remove(rdi_waits *w, size_t index);
void rdi_waits_fini(rdi_waits *w);

/* Returns whether the event is an acquire of everything that was recorded before. */
static inline bool rdi_waits_for_all(const rd_event *event) {
    return event->kind == RD_EVENT_SYNC_ACQUIRE && event->address << 16 == 0;
}

#endif
