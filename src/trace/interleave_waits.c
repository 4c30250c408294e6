/* Implements the events of a reorder buffer. See interleave_waits.h.
 *
 * Releases that other events can wait for are in lists. For a release of synchronization, the
 * address of the object selects the list. For a release of memory, the first page of the memory
 * selects the list. All releases of more than a page of memory share one list. So the search for an
 * event to wait for visits few events. */
#include "trace/interleave_waits.h"

#include <string.h>

#define PAGE_SHIFT  12
#define OBJECTS     4096 /* number of lists of objects */
#define PAGES       4096 /* number of lists of pages, which follow the lists of objects */
#define WIDE        (OBJECTS + PAGES) /* the list of releases of more than a page */
#define LISTS       (WIDE + 1)
#define PAGES_MOST  64 /* an allocation of more pages is compared with all releases of memory */
#define SIZES_FIRST 1024

rd_status rdi_waits_init(rdi_waits *w, rd_ctx *ctx) {
    *w = (rdi_waits){.ctx = ctx, .free = RDI_NO_EVENT};
    w->lists = rdi_alloc(ctx, LISTS, sizeof *w->lists);
    w->sizes = rdi_calloc(ctx, 2 * SIZES_FIRST, sizeof *w->sizes);
    if (!w->lists || !w->sizes)
        return RD_ENOMEM;
    w->sizes_room = SIZES_FIRST;
    for (size_t i = 0; i < LISTS; i++)
        w->lists[i] = (rdi_waits_list){RDI_NO_EVENT, RDI_NO_EVENT};
    return RD_OK;
}

void rdi_waits_fini(rdi_waits *w) {
    if (!w->ctx)
        return;
    for (size_t i = 0; i < w->room; i++)
        if (w->held[i].position != UINT64_MAX && w->held[i].event.path)
            rdi_free(w->ctx, (void *)(uintptr_t)w->held[i].event.path);
    rdi_free(w->ctx, w->held);
    rdi_free(w->ctx, w->lists);
    rdi_free(w->ctx, w->sizes);
}

/* ---- sizes of allocations ---- */

/* Returns the index of the entry of an address in w->sizes, or of the free entry where it belongs. */
static size_t place_of(const rdi_waits *w, uint64_t address) {
    size_t at = (size_t)rdi_mix64(address) & (w->sizes_room - 1);
    while (w->sizes[2 * at + 1] && w->sizes[2 * at] != address)
        at = (at + 1) & (w->sizes_room - 1);
    return at;
}

static rd_status grow_sizes(rdi_waits *w) {
    uint64_t *old = w->sizes;
    size_t room = w->sizes_room;
    uint64_t *grown = rdi_calloc(w->ctx, 4 * room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    w->sizes = grown;
    w->sizes_room = 2 * room;
    for (size_t i = 0; i < room; i++)
        if (old[2 * i + 1])
            memcpy(&grown[2 * place_of(w, old[2 * i])], &old[2 * i], 2 * sizeof *old);
    rdi_free(w->ctx, old);
    return RD_OK;
}

static rd_status put_size(rdi_waits *w, uint64_t address, uint64_t size) {
    if (2 * (w->n_sizes + 1) > w->sizes_room)
        RD_TRY(grow_sizes(w));
    size_t at = place_of(w, address);
    w->n_sizes += w->sizes[2 * at + 1] == 0;
    w->sizes[2 * at] = address;
    w->sizes[2 * at + 1] = size ? size : 1;
    return RD_OK;
}

/* Removes the entry at `at`, and moves later entries that would no longer be found. */
static void remove_size(rdi_waits *w, size_t at) {
    size_t mask = w->sizes_room - 1, hole = at;
    for (size_t next = (at + 1) & mask; w->sizes[2 * next + 1]; next = (next + 1) & mask) {
        size_t home = (size_t)rdi_mix64(w->sizes[2 * next]) & mask;
        if (((next - home) & mask) < ((next - hole) & mask))
            continue;
        memcpy(&w->sizes[2 * hole], &w->sizes[2 * next], 2 * sizeof *w->sizes);
        hole = next;
    }
    w->sizes[2 * hole + 1] = 0;
    w->n_sizes--;
}

/* Returns the number of bytes that an event releases, or 1 if the number is unknown. If the event
 * does not state it, takes the size of the allocation from w->sizes and removes it there. */
static uint64_t released_bytes(rdi_waits *w, const rd_event *event) {
    if (event->size)
        return event->size;
    size_t at = place_of(w, event->address);
    uint64_t size = w->sizes[2 * at + 1];
    if (size)
        remove_size(w, at);
    return size ? size : 1;
}

/* ---- lists ---- */

static size_t list_of_object(uint64_t address) {
    return (size_t)rdi_mix64(address) % OBJECTS;
}

static size_t list_of_page(uint64_t page) {
    return OBJECTS + (size_t)rdi_mix64(page) % PAGES;
}

static void link_last(rdi_waits *w, size_t list, size_t index) {
    rdi_held_event *h = &w->held[index];
    h->list = list;
    h->before = w->lists[list].last;
    h->after = RDI_NO_EVENT;
    if (h->before == RDI_NO_EVENT)
        w->lists[list].first = index;
    else
        w->held[h->before].after = index;
    w->lists[list].last = index;
}

static void unlink(rdi_waits *w, size_t index) {
    const rdi_held_event *h = &w->held[index];
    if (h->list == RDI_NO_EVENT)
        return;
    if (h->before == RDI_NO_EVENT)
        w->lists[h->list].first = h->after;
    else
        w->held[h->before].after = h->after;
    if (h->after == RDI_NO_EVENT)
        w->lists[h->list].last = h->before;
    else
        w->held[h->after].before = h->before;
}

/* ---- events ---- */

static rd_status take_entry(rdi_waits *w, size_t *index) {
    if (w->free == RDI_NO_EVENT) {
        size_t before = w->room;
        rdi_held_event *grown = rdi_grow(w->ctx, w->held, &w->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        w->held = grown;
        for (size_t i = w->room; i-- > before;) {
            w->held[i].position = UINT64_MAX;
            w->held[i].after = w->free;
            w->free = i;
        }
    }
    *index = w->free;
    w->free = w->held[*index].after;
    return RD_OK;
}

static uint64_t last_byte(uint64_t address, uint64_t bytes) {
    uint64_t last = address + bytes - 1;
    return last < address ? UINT64_MAX : last;
}

static rd_status add_release(rdi_waits *w, size_t index) {
    rdi_held_event *h = &w->held[index];
    h->last = last_byte(h->event.address, released_bytes(w, &h->event));
    bool wide = h->last - h->event.address >= UINT64_C(1) << PAGE_SHIFT;
    link_last(w, wide ? WIDE : list_of_page(h->event.address >> PAGE_SHIFT), index);
    return RD_OK;
}

rd_status rdi_waits_add(rdi_waits *w, const rd_event *event, uint64_t position, size_t *index) {
    RD_TRY(take_entry(w, index));
    rdi_held_event *h = &w->held[*index];
    *h = (rdi_held_event){.event = *event, .position = position, .list = RDI_NO_EVENT};
    if (event->path && !(h->event.path = rdi_strdup(w->ctx, event->path)))
        return RD_ENOMEM;
    if (event->kind == RD_EVENT_SYNC_RELEASE)
        link_last(w, list_of_object(event->address), *index);
    if (event->kind == RD_EVENT_RELEASE)
        return add_release(w, *index);
    return event->kind == RD_EVENT_ALLOCATE ? put_size(w, event->address, event->size) : RD_OK;
}

void rdi_waits_remove(rdi_waits *w, size_t index) {
    rdi_held_event *h = &w->held[index];
    unlink(w, index);
    if (h->event.path)
        rdi_free(w->ctx, (void *)(uintptr_t)h->event.path);
    h->position = UINT64_MAX;
    h->after = w->free;
    w->free = index;
}

/* ---- waiting ---- */

/* Returns whether event `a` waits for release `r`. Both must concern the same object or memory. */
static bool comes_before(const rdi_held_event *r, const rdi_held_event *a) {
    return r->position < a->position && r->event.thread != a->event.thread;
}

static size_t find_release(const rdi_waits *w, const rdi_held_event *a) {
    size_t i = w->lists[list_of_object(a->event.address)].first;
    for (; i != RDI_NO_EVENT && w->held[i].position < a->position; i = w->held[i].after) {
        const rd_event *r = &w->held[i].event;
        if (r->address == a->event.address && comes_before(&w->held[i], a) &&
            (a->event.size == 0 || r->size <= a->event.size))
            return i;
    }
    return RDI_NO_EVENT;
}

/* Searches a list for a release of memory that `a` waits for and that overlaps the addresses from
 * a->event.address to `last`. Returns the entry of the release, or RDI_NO_EVENT if there is
 * none. */
static size_t find_overlap(const rdi_waits *w, size_t list, const rdi_held_event *a,
                           uint64_t last) {
    size_t i = w->lists[list].first;
    for (; i != RDI_NO_EVENT && w->held[i].position < a->position; i = w->held[i].after) {
        const rdi_held_event *r = &w->held[i];
        if (comes_before(r, a) && r->event.address <= last && r->last >= a->event.address)
            return i;
    }
    return RDI_NO_EVENT;
}

static size_t find_memory(const rdi_waits *w, const rdi_held_event *a) {
    uint64_t last = last_byte(a->event.address, a->event.size ? a->event.size : 1);
    uint64_t page = a->event.address >> PAGE_SHIFT, last_page = last >> PAGE_SHIFT;
    size_t found = find_overlap(w, WIDE, a, last);
    if (last_page - page >= PAGES_MOST) {
        for (size_t i = 0; i < PAGES && found == RDI_NO_EVENT; i++)
            found = find_overlap(w, OBJECTS + i, a, last);
        return found;
    }
    /* A release that begins on the page before may reach into the first page. */
    for (uint64_t i = page ? page - 1 : 0; i <= last_page && found == RDI_NO_EVENT; i++)
        found = find_overlap(w, list_of_page(i), a, last);
    return found;
}

size_t rdi_waits_find(const rdi_waits *w, size_t index) {
    const rdi_held_event *a = &w->held[index];
    return a->event.kind == RD_EVENT_SYNC_ACQUIRE ? find_release(w, a)
           : a->event.kind == RD_EVENT_ALLOCATE   ? find_memory(w, a)
                                                  : RDI_NO_EVENT;
}
