/* Implements the registry of event kinds and lists of events. See events.h. */
#include "trace/events.h"

#include <stdlib.h>
#include <string.h>

static const rdi_event_info kinds[RDI_EVENT_KINDS] = {
#define RDI_EVENT(kind, name, field, has_path, required)                                           \
    [kind] = {#name, field, has_path, required},
#include "trace/events.def"
#undef RDI_EVENT
};

const rdi_event_info *rdi_event_info_of(unsigned kind) {
    return kind < RDI_EVENT_KINDS && kinds[kind].name ? &kinds[kind] : NULL;
}

const char *rdi_event_check(const rd_event *event) {
    const rdi_event_info *info = rdi_event_info_of(event->kind);
    if (!info)
        return "has an unknown kind";
    if (!info->has_path)
        return NULL;
    size_t bytes = event->path ? strlen(event->path) : 0;
    return bytes == 0                   ? "has no path"
           : bytes > RDI_EVENT_PATH_MAX ? "has a path of more than 4095 bytes"
                                        : NULL;
}

static rd_status copy_path(rd_ctx *ctx, rd_event *event, size_t bytes) {
    char *path = rdi_alloc(ctx, bytes + 1, 1);
    if (!path)
        return RD_ENOMEM;
    memcpy(path, event->path, bytes);
    path[bytes] = '\0';
    event->path = path;
    return RD_OK;
}

rd_status rdi_event_list_add(rdi_event_list *list, const rd_event *event, size_t path_bytes) {
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        rd_event *grown = rdi_resize(list->ctx, list->items, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        list->items = grown;
        list->room = room;
    }
    rd_event copy = *event;
    if (rdi_event_info_of(copy.kind)->has_path)
        RD_TRY(copy_path(list->ctx, &copy, path_bytes));
    else
        copy.path = NULL;
    list->items[list->n++] = copy;
    return RD_OK;
}

/* Returns whether the event concerns one allocation, which its address identifies. */
static bool is_about_memory(const rd_event *e) {
    return e->kind == RD_EVENT_ALLOCATE || (e->kind == RD_EVENT_RELEASE && e->size == 0);
}

/* Returns whether no event in the table has the same address as event `index`, and inserts the
 * event in that case. A slot holds 1 + the index of an event, or 0. The caller visits events from
 * the last to the first, so the table has only later events. */
static bool is_last(const rdi_event_list *list, size_t *slots, size_t mask, size_t index) {
    uint64_t address = list->items[index].address;
    size_t at = (size_t)rdi_mix64(address) & mask;
    for (; slots[at]; at = (at + 1) & mask)
        if (list->items[slots[at] - 1].address == address)
            return false;
    slots[at] = index + 1;
    return true;
}

/* Sets gone[i] to whether event i can be removed: a later event supersedes it, or it is the caller of an
 * allocation that can be removed. `slots` is an empty hash table of `room` slots, a power of two. */
static void mark_needless(const rdi_event_list *list, size_t *slots, size_t room, bool *gone) {
    for (size_t i = list->n; i-- > 0;)
        gone[i] = list->items[i].kind == RD_EVENT_CALLER
                      ? gone[i + 1]
                      : is_about_memory(&list->items[i]) && !is_last(list, slots, room - 1, i);
}

static bool is_sync(const rd_event *e) {
    return e->kind == RD_EVENT_SYNC_RELEASE || e->kind == RD_EVENT_SYNC_ACQUIRE;
}

/* Returns a copy of the event. An acquire becomes an acquire of everything, but keeps the number of its
 * process in the top bits of the address. */
static rd_event simplified(const rd_event *e) {
    rd_event simple = *e;
    if (e->kind == RD_EVENT_SYNC_ACQUIRE) {
        simple.address &= UINT64_C(0xffff) << 48;
        simple.size = 0;
    }
    return simple;
}

/* Orders events of synchronization: acquires first, then by thread, object and number. */
static int by_object(const void *a, const void *b) {
    const rd_event *x = a, *y = b;
    return x->kind != y->kind         ? (x->kind > y->kind ? -1 : 1)
           : x->thread != y->thread   ? (x->thread < y->thread ? -1 : 1)
           : x->address != y->address ? (x->address < y->address ? -1 : 1)
                                      : (x->size > y->size) - (x->size < y->size);
}

/* Simplifies the events of synchronization, and moves them after all other events. Afterwards, each
 * thread that has waited for anything waits once for everything. Then each thread releases every
 * object that it has released, but only once, with the smallest of the numbers. */
static rd_status compact_sync(rdi_event_list *list) {
    size_t n = 0, kept = 0;
    rd_event *sync = rdi_alloc(list->ctx, list->n + 1, sizeof *sync);
    if (!sync)
        return RD_ENOMEM;
    for (size_t i = 0; i < list->n; i++) {
        if (is_sync(&list->items[i]))
            sync[n++] = simplified(&list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    qsort(sync, n, sizeof *sync, by_object);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sync[i].kind != sync[i - 1].kind || sync[i].thread != sync[i - 1].thread ||
            sync[i].address != sync[i - 1].address)
            list->items[kept++] = sync[i];
    list->n = kept;
    rdi_free(list->ctx, sync);
    return RD_OK;
}

rd_status rdi_event_list_compact(rdi_event_list *list) {
    size_t room = (size_t)1 << (rdi_bit_width(list->n) + 1), kept = 0;
    size_t *slots = rdi_calloc(list->ctx, room, sizeof *slots);
    bool *gone = rdi_calloc(list->ctx, list->n + 1, sizeof *gone);
    bool good = slots && gone;
    if (good) {
        mark_needless(list, slots, room, gone);
        for (size_t i = 0; i < list->n; i++)
            if (!gone[i])
                list->items[kept++] = list->items[i];
        list->n = kept;
    }
    rdi_free(list->ctx, gone);
    rdi_free(list->ctx, slots);
    return good ? compact_sync(list) : RD_ENOMEM;
}

void rdi_event_list_drop(rdi_event_list *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list->items[i].path)
            rdi_free(list->ctx, (void *)(uintptr_t)list->items[i].path);
    list->n -= n;
    if (n > 0 && list->n > 0)
        memmove(list->items, list->items + n, list->n * sizeof *list->items);
}

void rdi_event_list_clear(rdi_event_list *list) {
    rdi_event_list_drop(list, list->n);
}

void rdi_event_list_free(rdi_event_list *list) {
    if (!list->ctx)
        return;
    rdi_event_list_clear(list);
    rdi_free(list->ctx, list->items);
    *list = (rdi_event_list){0};
}
