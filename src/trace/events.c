/* Lists of events. See events.h. */
#include "trace/events.h"

#include <string.h>

const char *rdi_event_check(const rd_event *event) {
    if (event->kind < RD_EVENT_MODULE || event->kind > RDI_EVENT_KINDS)
        return "has no known kind";
    if (event->kind != RD_EVENT_MODULE)
        return NULL;
    size_t bytes = event->path ? strlen(event->path) : 0;
    return bytes == 0                   ? "has no path"
           : bytes > RDI_EVENT_PATH_MAX ? "has a path that is too long"
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
    if (copy.kind == RD_EVENT_MODULE)
        RD_TRY(copy_path(list->ctx, &copy, path_bytes));
    else
        copy.path = NULL;
    list->items[list->n++] = copy;
    return RD_OK;
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
